"""The Jacobian-based saliency map attack (Papernot et al., EuroS&P 2016)."""

from collections.abc import Generator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from unnerve.core.data.ranges import bounds
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Normed, Space
from unnerve.core.model import Capability, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks._saliency import best_pairs
from unnerve.generate.attacks._selection import broadcast_over, selected

__all__ = ["JSMA"]


@dataclass(frozen=True)
class JSMA:
    r"""Change two features at a time, those whose change does most for the target and most against all other classes.

    .. math:: (p, q) = argmax -\alpha_{pq} \beta_{pq} \quad (\alpha_{pq} > 0, \beta_{pq} < 0), \quad
        \alpha_{pq} = \sum_{i \in p,q} \frac{\partial Z_t}{\partial x_i}, \quad
        \beta_{pq} = \sum_{i \in p,q} \sum_{j \neq t} \frac{\partial Z_j}{\partial x_i}

    over all pairs of features that can still change (signs reversed if ``change`` is negative). The result is that of
    trying all pairs for inputs of up to 4,096 features, and beyond that unless more than 4,096 of them are needed to
    know the best pair.

    Parameters
    ----------
    outputs : str
        Z are the ``logits``, as in the paper, or the ``probabilities``: then alpha and beta cancel, one gradient is
        enough, and fewer features have to change (measured).
    change : float
        What is added to a feature, not 0, as a share of the range of values (theta).
    distortion : float or None
        Share of the features that may change, in (0, 1] (Upsilon); if None, what an l0 region allows, else 0.145.

    References
    ----------
    Papernot et al., "The Limitations of Deep Learning in Adversarial Settings", 2016, Eqs. 8-10 and Algorithm 3.
    """

    outputs: str = "logits"
    change: float = 1.0
    distortion: float | None = None
    needs = Capability.GRADIENTS
    width = 1
    regions = None
    draws = False
    start_cost = 0
    small = ("change=0.5", "outputs=probabilities,change=-0.5")

    def __post_init__(self) -> None:
        if self.outputs not in ("logits", "probabilities"):
            raise InvalidSetting(f"outputs must be logits or probabilities, got '{self.outputs}'")
        if not abs(self.change) > 0:
            raise InvalidSetting(f"change must not be 0, got {self.change}")
        if self.distortion is not None and not 0 < self.distortion <= 1:
            raise InvalidSetting(f"distortion must be in (0, 1], got {self.distortion}")

    def step_cost(self, classes: int) -> int:
        """Return the queries per seed and step: one forward pass, a backward pass for alpha and, with logits, beta."""
        return 3 if self.outputs == "logits" else 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the point after every change of two features, until the goal is reached."""
        x, sign = seeds.batch.inputs, 1 if self.change > 0 else -1
        low, high = bounds(space, "jsma")
        free = (x < high if sign > 0 else x > low).flatten(1)
        attacked = _Attacked(torch.arange(len(seeds)), x, x, Goal.of(seeds), _aim(seeds), free)
        for step in range(self._steps(space, free.shape[1])):
            model, loss = subject.model.of(attacked.rows), _logits if self.outputs == "logits" else _probability
            _, gradients, seen = model.gradient(attacked.x, loss, attacked.aim)
            slopes = gradients.flatten(2).mul_(sign).masked_fill_(~attacked.free.unsqueeze(1), -torch.inf)
            pairs, values = best_pairs(slopes[:, 0], slopes[:, -1])
            moving = values.isfinite() & ~attacked.goal.reached(seen)
            attacked, moving = self._moved(attacked, pairs, moving, space, self.change * seeds.span)
            if step > 0:  # the first time everyone has something to show, if only the seed
                attacked, moving = selected(attacked, moving), moving[moving]
            if len(attacked.rows) == 0:
                return
            wanted = yield Candidates(attacked.x, attacked.rows, step)
            attacked = selected(attacked, wanted[attacked.rows] & moving)
            if len(attacked.rows) == 0:
                return

    def _steps(self, space: Space, features: int) -> int:
        """Return how many pairs may change (Algorithm 3, line 2)."""
        usual = 0.145 if isinstance(space, Normed) else 1.0  # what is no ball, like l0, is left when it is full
        share = usual if self.distortion is None else self.distortion
        return max(1, int(share * features / 2 + 1e-6))

    def _moved(
        self, attacked: "_Attacked", pairs: Tensor, moving: Tensor, space: Space, size: float
    ) -> tuple["_Attacked", Tensor]:
        """Change the pairs (N, 2) of those that are moving by ``size``; say which moved and are inside: bool (N,)."""
        low, high = bounds(space, "jsma")
        change = torch.zeros_like(attacked.x).flatten(1).scatter_(1, pairs, size)
        x = change.view_as(attacked.x).add(attacked.x).clamp_(low, high)
        if isinstance(space, Normed):
            space.project(x, attacked.centre)
        else:
            moving = moving & space.contains(x, attacked.centre)
        x = torch.where(broadcast_over(moving, x), x, attacked.x)
        # A feature that did not get all of the change is at its end.
        whole = (x - attacked.x).flatten(1).abs() > 0.999 * abs(size)
        at_end = (x >= high if self.change > 0 else x <= low).flatten(1)
        return replace(attacked, x=x, free=attacked.free & ~at_end & (whole | (change == 0))), moving


@dataclass(frozen=True, eq=False)
class _Attacked:
    """Seeds that are still attacked.

    Parameters
    ----------
    rows : int64 Tensor of shape (A,)
    x, centre : Tensor of shape (A, ...)
    goal : Goal
    aim : int64 Tensor of shape (A,)
        The class each is driven to.
    free : bool Tensor of shape (A, F)
        Features that can still change.
    """

    rows: Tensor
    x: Tensor
    centre: Tensor
    goal: Goal
    aim: Tensor
    free: Tensor


def _aim(seeds: Seeds) -> Tensor:
    """Return the targets, int64 (N,)."""
    if seeds.target is not None:
        return seeds.target
    # Differs: the paper always has a target. Without one, the most probable wrong class is it.
    return seeds.clean.logits.scatter(1, seeds.expected.unsqueeze(1), -torch.inf).argmax(dim=1)


def _logits(seen: Observation, classes: Tensor) -> Tensor:
    """Return the logit of the class and minus the sum of the others: (N, 2)."""
    own = seen.logits.gather(1, classes.unsqueeze(1)).squeeze(1)
    return torch.stack([own, own - seen.logits.sum(dim=1)], dim=1)


def _probability(seen: Observation, classes: Tensor) -> Tensor:
    """Return the logarithm of the probability of the class, whose slopes have the same order: (N, 1)."""
    return seen.logits.log_softmax(dim=1).gather(1, classes.unsqueeze(1))
