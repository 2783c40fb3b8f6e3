"""What a model is and what it can do."""

import time
from dataclasses import dataclass
from math import prod
from typing import Any

import pyarrow as pa
import torch

from unnerve.core.data.ranges import ValueRange, range_text
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Capability, Classifier, Instrumented
from unnerve.core.naming.keywords import flat
from unnerve.core.neurons import NeuronMap
from unnerve.core.results import Result
from unnerve.core.storage.limits import NUMBERS
from unnerve.core.streams import Streams
from unnerve.subjects.models import model as as_model
from unnerve.subjects.opening import ModelOptions

__all__ = ["Inspection", "inspect"]

_USUAL = ((1, 28, 28), (3, 32, 32), (3, 224, 224), (1, 8, 8), (3, 64, 64), (3, 96, 96), (3, 299, 299))
_FEW, _MANY = 32, 256
_QUICK = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class Inspection(Result):
    """What was found out about a model.

    Parameters
    ----------
    name : str
    shape : tuple of int
        Of one input.
    classes : int
    offers : tuple of str
        Capabilities.
    parameters : int or None
    neurons : NeuronMap or None
    throughput : float
        Inputs per second, forward.
    expects : (float, float) or None
        The range of the values that it expects; None for whatever the data hold.
    """

    name: str
    shape: tuple[int, ...]
    classes: int
    offers: tuple[str, ...]
    parameters: int | None
    neurons: NeuronMap | None
    throughput: float
    expects: ValueRange | None = None

    def summary(self) -> dict[str, Any]:
        """Return all figures as JSON."""
        layers = [] if self.neurons is None else [{"name": x.name, "neurons": x.count} for x in self.neurons.layers]
        return {
            "model": self.name,
            "shape": list(self.shape),
            "range": None if self.expects is None else list(self.expects),
            "classes": self.classes,
            "capabilities": list(self.offers),
            "parameters": self.parameters,
            "neurons": None if self.neurons is None else len(self.neurons),
            "chosen_by": None if self.neurons is None else self.neurons.chosen_by,
            "layers": layers,
            "throughput": self.throughput,
        }

    def table(self) -> pa.Table:
        """Return one row per layer: ``layer, neurons``."""
        layers = () if self.neurons is None else self.neurons.layers
        return pa.table({"layer": [one.name for one in layers], "neurons": [one.count for one in layers]})

    def headline(self) -> str:
        """Return what the model is, in one line."""
        return self.text().splitlines()[0]

    def text(self) -> str:
        """Return the same for a person."""
        shape = " x ".join(map(str, self.shape))
        values = ", values as the data hold them" if self.expects is None else f" in {range_text(self.expects)}"
        lines = [
            f"{self.name}: {shape}{values} -> {self.classes} classes",
            f"can be asked for: {', '.join(('answers', *self.offers))}",
            f"forward: {self.throughput:,.0f} inputs per second here",
        ]
        if self.parameters is not None:
            lines.append(f"parameters: {self.parameters:,}")
        if self.neurons is not None:
            chosen = f"chosen by {self.neurons.chosen_by}"
            lines.append(f"neurons: {len(self.neurons):,} in {len(self.neurons.layers)} layers, {chosen}")
            lines.extend(f"  {layer.name:24} {layer.count:6,}" for layer in self.neurons.layers)
        return "\n".join(lines)


@flat()
def inspect(source: Any, shape: tuple[int, ...] | None = None, *, options: ModelOptions) -> Inspection:
    """Find out what a model takes, returns and offers.

    Parameters
    ----------
    source : anything that ``unnerve.model`` takes
    shape : tuple of int, optional
        Of one input; the usual image shapes are tried if None.
    options : ModelOptions
        How it is opened; its fields are given as keywords: ``weights="net.safetensors"``.

    Returns
    -------
    Inspection

    Examples
    --------
    >>> import unnerve
    >>> unnerve.inspect("zoo:lenet5").classes
    10
    """
    model: Classifier = as_model(source, options=options)
    if shape is not None and not all(side > 0 for side in shape):
        raise InvalidSetting(f"shape must be positive numbers, got {shape}")
    if shape is not None and prod(shape) > NUMBERS:
        raise InvalidSetting(f"shape must have <= {NUMBERS:,} numbers in all, got {prod(shape):,} for {shape}")
    shape = shape or _accepted(model)
    x = _probe(shape, _FEW)
    classes = model.observe(x).logits.shape[1]
    module = getattr(model, "module", None)
    return Inspection(
        name=model.name,
        shape=shape,
        classes=classes,
        offers=tuple(str(flag.name).lower() for flag in model.offers if flag is not Capability.ANSWERS),
        parameters=None if module is None else sum(part.numel() for part in module.parameters()),
        neurons=model.neuron_map(x) if Capability.NEURONS in model.offers and isinstance(model, Instrumented) else None,
        throughput=_throughput(model, shape),
        expects=getattr(model, "expects", None),
    )


def _throughput(model: Classifier, shape: tuple[int, ...]) -> float:
    """Return inputs per second: of few inputs where those take long already."""
    for rows in (_FEW, _MANY):
        x = _probe(shape, rows)
        start = time.perf_counter()
        model.observe(x)
        seconds = time.perf_counter() - start
        if seconds > _QUICK:
            break
    return rows / seconds


def _accepted(model: Classifier) -> tuple[int, ...]:
    for shape in _USUAL:
        try:
            model.observe(_probe(shape, 1))
        except InvalidModel:
            continue
        return shape
    tried = ", ".join("x".join(map(str, shape)) for shape in _USUAL)
    raise InvalidModel(f"{model.name} takes none of the usual shapes ({tried}); say which with --shape C,H,W")


def _probe(shape: tuple[int, ...], rows: int) -> torch.Tensor:
    return Streams(0, map(str, range(rows))).uniform(0, 0, shape)
