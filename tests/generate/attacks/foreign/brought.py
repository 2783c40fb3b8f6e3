"""Attacks as a user would bring them."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy


def nudge(model: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
    """Make the first value a little lighter or darker, whichever is worse for the right class; sees answers only."""
    both = []
    for change in (0.04, -0.04):
        x = inputs.clone()
        x.flatten(1)[:, 0] = (x.flatten(1)[:, 0] + change).clamp(0, 1)
        both.append((x, model(x).gather(1, labels[:, None])))
    worse = (both[0][1] < both[1][1]).view(-1, *[1] * (inputs.ndim - 1))
    return torch.where(worse, both[0][0], both[1][0])


def signs(model: nn.Module, inputs: Tensor, labels: Tensor, radius: float) -> Tensor:
    """Take a step along the signs of the gradient."""
    x = inputs.clone().requires_grad_(True)
    cross_entropy(model(x), labels, reduction="sum").backward()
    assert x.grad is not None
    return (inputs + radius * x.grad.sign()).clamp(0, 1)


def drift(inputs: Tensor, labels: Tensor) -> Tensor:
    """Add a little noise, whatever the model says."""
    return (inputs + 0.02 * torch.randn_like(inputs)).clamp(0, 1)


class Steps:
    """Steps along the gradient's signs, with the interface that torchattacks has."""

    def __init__(self, model: nn.Module, eps: float = 0.1, steps: int = 3) -> None:
        self.model, self.eps, self.steps, self.targeted = model, eps, steps, False
        self.device = next(model.parameters()).device

    def __call__(self, inputs: Tensor, labels: Any = None, *more: Any, **others: Any) -> Tensor:
        """Change inputs in [0, 1]."""
        print("Attack mode is default.")  # noqa: T201 - as they do
        given = self.model.training
        self.model.eval()
        images = inputs.clone().detach().to(self.device)
        x = images.clone()
        for _ in range(self.steps):
            x.requires_grad = True
            cost = cross_entropy(self.model(x), labels) * (-1 if self.targeted else 1)
            slope = torch.autograd.grad(cost, x)[0]
            x = x.detach() + self.eps / self.steps * slope.sign()
            x = (images + (x - images).clamp(-self.eps, self.eps)).clamp(0, 1).detach()
        self.model.train(given)
        return x


def targeted_steps(model: nn.Module) -> Steps:
    """Return the same, towards the labels that it is given."""
    made = Steps(model, eps=0.3, steps=10)
    made.targeted = True
    return made


def foolbox_pgd() -> Any:
    """Return an attack of foolbox that draws nothing."""
    from foolbox.attacks.projected_gradient_descent import LinfProjectedGradientDescentAttack as Attack

    return Attack(abs_stepsize=0.02, steps=8, random_start=False)


def art_pgd(estimator: Any) -> Any:
    """Return an attack of ART that draws nothing."""
    from art.attacks.evasion import ProjectedGradientDescent as Attack

    return Attack(estimator, eps=0.1, eps_step=0.02, max_iter=8, verbose=False, batch_size=64)


def art_targeted(classifier: Any) -> Any:
    """Return an attack of ART that is after a class."""
    from art.attacks.evasion import ProjectedGradientDescent as Attack

    return Attack(classifier, eps=0.3, eps_step=0.04, max_iter=20, targeted=True, verbose=False, batch_size=64)


def nothing(model: nn.Module) -> None:
    """Forget to return the attack."""


def cropped(inputs: Tensor, labels: Tensor) -> Tensor:
    """Return something of another shape."""
    return inputs[..., :-1]


def silent(inputs: Tensor, labels: Tensor) -> None:
    """Forget to return the inputs."""


def undefined(inputs: Tensor, labels: Tensor) -> Tensor:
    """Return NaN."""
    return inputs * float("nan")


def far(inputs: Tensor, labels: Tensor) -> Tensor:
    """Leave any region."""
    return 1 - inputs


def picky(model: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
    """Ask about all, then about all but the first, then about the last two again."""
    for x in (inputs, inputs[1:] + 0.01, inputs[[-1, -2]] - 0.01):
        model(x)
    return inputs


def endless(model: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
    """Go on for ever, one hundredth at a time."""
    x = inputs
    while True:
        x = (x + 0.01).clamp(0, 1)
        model(x)


def demanding(one: Any, two: Any, three: Any, four: Any) -> None:
    """Need more than there is."""


def made_of(step: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return a function that only this process knows."""

    def moved(inputs: Tensor, labels: Tensor) -> Tensor:
        return (inputs + step).clamp(0, 1)

    return moved
