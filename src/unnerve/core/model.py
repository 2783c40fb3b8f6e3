"""What can be asked of a model: capabilities, one door for a forward pass, one for gradients."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from functools import cached_property
from typing import Protocol, runtime_checkable

from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.neurons import NeuronMap

__all__ = [
    "Capability",
    "Classifier",
    "Differentiable",
    "DifferentiableDraws",
    "Halving",
    "Hindered",
    "Instrumented",
    "Loss",
    "Observation",
    "ObservedDraws",
    "Quickened",
    "Stochastic",
    "Want",
    "Weighted",
    "capability_names",
    "require",
]


class Capability(Flag):
    """What a model offers beyond answering; methods say what they need in the same words."""

    # Zero, so that a method which needs only answers fits every model: nothing is missing from nothing.
    ANSWERS = 0
    GRADIENTS = auto()
    DROPOUT = auto()
    NEURONS = auto()


def capability_names(offers: Capability) -> list[str]:
    """Return what is offered beyond answers, in words."""
    return [str(one.name).lower() for one in offers]


class Want(Flag):
    """What a forward pass shall return beside the logits."""

    LOGITS = 0
    NEURONS = auto()
    # Contains the flag for neurons: whoever knows a layer's extremes has watched it, and a test of one flag suffices.
    RANGES = NEURONS | 2
    """The neurons, and the least and largest value of each layer's whole output."""
    MANY_GRADIENTS = 4
    """Nothing more, but gradients as fast as can be, in last bits of their own: for figures over thousands of points,
    not for a search, whose steps are repeated bit by bit."""


@dataclass(frozen=True, eq=False)
class Observation:
    """What one forward pass showed.

    Parameters
    ----------
    logits : Tensor of shape (N, C)
        Logits, or the logarithm of the probabilities where a model answers with those.
    activity : Tensor of shape (N, U), or None
        Values of the neurons, if they were asked for.
    extent : Tensor of shape (N, L, 2), or None
        Least and largest value of each layer, if they were asked for.
    """

    logits: Tensor
    activity: Tensor | None = None
    extent: Tensor | None = None

    @cached_property
    def probabilities(self) -> Tensor:
        """Class probabilities, float64 of shape (N, C); rows sum to one."""
        # In single precision a sure answer is exactly 1, and half of the inputs of a good network tie.
        return self.logits.double().softmax(dim=-1)

    @cached_property
    def predicted(self) -> Tensor:
        """The most probable class, int64 of shape (N,); the first among equals."""
        return self.logits.argmax(dim=-1)

    def lead(self, classes: Tensor) -> Tensor:
        """Return the logit of the given class, int64 (N,), minus the largest other one: (N,)."""
        chosen = classes.unsqueeze(1)
        own = self.logits.gather(1, chosen).squeeze(1)
        # By scattering -inf, not by sorting: the class itself must not be its own rival when two logits tie.
        return own - self.logits.scatter(1, chosen, float("-inf")).amax(dim=1)

    @property
    def neurons(self) -> Tensor:
        """Values of the neurons, shape (N, U)."""
        if self.activity is None:
            raise RuntimeError("neurons were not asked for: observe(x, want=Want.NEURONS)")
        return self.activity

    @property
    def ranges(self) -> Tensor:
        """Least and largest value of each layer's whole output, shape (N, L, 2), layers in calling order."""
        if self.extent is None:
            raise RuntimeError("ranges were not asked for: observe(x, want=Want.RANGES)")
        return self.extent


Loss = Callable[[Observation, Tensor], Tensor]
"""(observation of N rows, targets (N, ...)) -> (N,) or (N, K); each row depends on its own input only."""


@runtime_checkable
class Classifier(Protocol):
    """A model that answers: all that a black-box method may ask for."""

    @property
    def name(self) -> str:
        """How the user named it; shown in reports."""
        ...

    @property
    def offers(self) -> Capability:
        """The capabilities of this model."""
        ...

    def identity(self, shape: tuple[int, ...]) -> str:
        """Return a hash that tells this model from others, in hexadecimal; ``shape`` is that of one input."""
        ...

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        """Run one forward pass over ``x``, shape (N, ...); any N, split as memory and speed require."""
        ...


@runtime_checkable
class Differentiable(Classifier, Protocol):
    """A model with gradients with respect to its input."""

    def gradient(
        self, x: Tensor, loss: Loss, targets: Tensor, want: Want = Want.LOGITS
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate ``loss(observation, targets)`` with respect to ``x``.

        Returns
        -------
        values : Tensor of shape (N,) or (N, K)
        gradients : Tensor of shape (N, ...) or (N, K, ...)
            K gradients share one forward pass.
        observation : Observation
        """
        ...


@runtime_checkable
class Stochastic(Classifier, Protocol):
    """A model with Monte-Carlo dropout."""

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        """Return class probabilities of ``x``, shape (N, ...), under each of T dropout masks: (T, N, C)."""
        ...


@runtime_checkable
class ObservedDraws(Stochastic, Protocol):
    """A model that runs what comes before its dropout once, for an answer without dropout and for draws."""

    def observed_samples(self, x: Tensor, masks: Masks) -> tuple[Observation, Tensor]:
        """Return what ``observe(x)`` and ``samples(x, masks)`` do."""
        ...


@runtime_checkable
class DifferentiableDraws(Stochastic, Protocol):
    """A model with gradients also under dropout."""

    def drawn_gradient(
        self, x: Tensor, masks: Masks, loss: Loss, targets: Tensor
    ) -> tuple[Tensor, Tensor, Observation]:
        """Differentiate ``loss(observation, targets)`` with respect to ``x``, each row under one mask of its own.

        Parameters
        ----------
        x : Tensor of shape (N, ...)
        masks : Masks
            Of one draw; several draws of an input are rows of their own, with names of their own.
        loss : Loss
            Returns one value a row.
        targets : Tensor of shape (N, ...)

        Returns
        -------
        values : Tensor of shape (N,)
        gradients : Tensor of shape (N, ...)
        observation : Observation
            What the passes under dropout showed, logits only.
        """
        ...


@runtime_checkable
class Instrumented(Differentiable, Protocol):
    """A model whose neurons can be watched and silenced."""

    def neuron_map(self, x: Tensor) -> NeuronMap:
        """Return the neurons of the model for inputs of the shape of ``x``."""
        ...

    def layer_moves(self, x: Tensor, clean: Tensor, owners: Tensor) -> tuple[Tensor, Tensor]:
        """Compare what the layers make of inputs with what they make of those that the inputs were made from.

        Parameters
        ----------
        x : Tensor of shape (N, ...)
        clean : Tensor of shape (S, ...)
        owners : int64 Tensor of shape (N,)
            Which of the clean inputs each row of ``x`` was made from.

        Returns
        -------
        moves : Tensor of shape (N, U)
            Change of each neuron's value.
        extent : Tensor of shape (N, L, 2)
            Least and largest change within each layer's whole output, layers in calling order.
        """
        ...

    def silenced(self, x: Tensor, masks: Tensor) -> Tensor:
        """Answer ``x`` with the outputs of hidden neurons multiplied by masks.

        Parameters
        ----------
        x : Tensor of shape (N, ...)
        masks : Tensor of shape (N, S, U)
            S masks for each input over the neurons of ``neuron_map(x).hidden``: 1 leaves a neuron as it is, 0
            silences it. The answer's own neurons cannot be masked.

        Returns
        -------
        Tensor of shape (N, S, C)
            Logits.
        """
        ...

    def mask_gradient(self, x: Tensor, masks: Tensor, loss: Loss, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Differentiate ``loss(observation, targets)`` with respect to masks, at these masks.

        Parameters
        ----------
        x, masks
            As for :meth:`silenced`.
        loss : Loss
            Returns one value a row; the observation has logits only.
        targets : Tensor of shape (N, ...)
            One for each input, the same under all of its masks.

        Returns
        -------
        values : Tensor of shape (N, S)
        gradients : Tensor of shape (N, S, U)
        logits : Tensor of shape (N, S, C)
        """
        ...


@runtime_checkable
class Weighted(Instrumented, Protocol):
    """A model that tells the weights of its neurons."""

    def incoming_weights(self, x: Tensor) -> Tensor:
        """Return the mean weight with which each neuron of ``neuron_map(x)`` takes what comes before it, (U,).

        NaN for neurons of layers without weights, such as poolings.
        """
        ...


@runtime_checkable
class Halving(Protocol):
    """A model that takes fewer inputs at a time when memory runs out, and tells it."""

    @property
    def halved(self) -> int | None:
        """Inputs at a time since memory ran out; None if it never did."""
        ...


@runtime_checkable
class Quickened(Differentiable, Protocol):
    """A model that may have a quicker copy of itself for searching."""

    def quick(self, shape: tuple[int, ...]) -> Differentiable | None:
        """Return a copy that answers inputs of this shape likewise but for rounding; None if none is quicker.

        Its logits and gradients alone may be asked for. Nothing is proven on it.
        """
        ...


@runtime_checkable
class Hindered(Protocol):
    """A model that lacks something for a reason of its own."""

    def remedy(self, missing: Capability) -> str:
        """Return what to do about what is missing, and why it is; empty if the reason is not its own."""
        ...


def require(model: Classifier, needs: Capability, who: str) -> None:
    """Raise a clear error unless ``model`` offers all that ``who`` needs."""
    missing = needs & ~model.offers
    if missing:
        words = {Capability.GRADIENTS: "gradients", Capability.DROPOUT: "dropout", Capability.NEURONS: "neurons"}
        lacking = " and ".join(words[flag] for flag in missing)
        remedy = "choose a black-box method, or give an nn.Module"
        if missing is Capability.DROPOUT and Capability.GRADIENTS in model.offers:
            remedy = "give it some: --dropout RATE, in Python unnerve.with_dropout(model, rate)"
        remedy = (model.remedy(missing) if isinstance(model, Hindered) else "") or remedy
        raise InvalidModel(f"{who} needs {lacking}, which {model.name} does not offer; {remedy}")
