"""What a model is, what it can do, and how good it is on some data."""

import time
from math import prod
from typing import Any

import torch

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Capability, Classifier, Instrumented, capability_names
from unnerve.core.naming.keywords import flat
from unnerve.core.storage.limits import NUMBERS
from unnerve.core.streams import Streams
from unnerve.studies.accuracy.accuracy import measured
from unnerve.studies.inspect.result import Inspected, Inspection
from unnerve.studies.inspect.verbs import usable_verbs
from unnerve.subjects.declaration import declaration_of
from unnerve.subjects.joined import joined
from unnerve.subjects.models import model as as_model
from unnerve.subjects.opening import ModelOptions

__all__ = ["inspect"]

# The commonest first: a network that averages over positions takes many of them, and the first that fits is named.
_USUAL = ((1, 28, 28), (3, 32, 32), (3, 224, 224), (1, 8, 8), (3, 64, 64), (3, 96, 96), (3, 299, 299))
_FEW, _MANY = 32, 256
_QUICK = 1.0


@flat()
def inspect(
    source: Any, data: Any = None, shape: tuple[int, ...] | None = None, *, options: ModelOptions
) -> Inspection:
    """Find out what a model takes, returns and offers, how good it is on some data, and which verbs will work.

    Parameters
    ----------
    source : anything that ``unnerve.model`` takes
    data : anything that ``unnerve.examples`` takes, optional
        The model answers all of it, for its accuracy.
    shape : tuple of int, optional
        Of one input; that of the data, or the usual image shapes are tried, if None.
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
    tried: Inspected | None = None
    examples: Examples | None = None
    # Before the model is fitted to the data: afterwards it takes what they hold.
    expects = getattr(model, "expects", None)
    if data is not None:
        model, examples = joined(model, data)
        shape = _same(shape, examples.shape, examples.name)
        known = measured(model, examples)
        tried = Inspected(examples.name, len(examples), examples.value_range, examples.classes, known)
    _check(shape)
    shape = shape or _stated(model) or _accepted(model)
    x = _probe(shape, _FEW)
    classes = model.observe(x).logits.shape[1]
    module = getattr(model, "module", None)
    return Inspection(
        name=model.name,
        shape=shape,
        classes=classes,
        offers=tuple(capability_names(model.offers)),
        parameters=None if module is None else sum(part.numel() for part in module.parameters()),
        neurons=model.neuron_map(x) if Capability.NEURONS in model.offers and isinstance(model, Instrumented) else None,
        throughput=_throughput(model, shape),
        expects=expects,
        form=declaration_of(model).form,
        verbs=usable_verbs(model, shape, None if tried is None else tried.accuracy.labelled, examples),
        data=tried,
    )


def _check(shape: tuple[int, ...] | None) -> None:
    if shape is not None and not all(side > 0 for side in shape):
        raise InvalidSetting(f"shape must be positive numbers, got {shape}")
    if shape is not None and prod(shape) > NUMBERS:
        raise InvalidSetting(f"shape must have <= {NUMBERS:,} numbers in all, got {prod(shape):,} for {shape}")


def _same(shape: tuple[int, ...] | None, own: tuple[int, ...], name: str) -> tuple[int, ...]:
    if shape not in (None, own):
        raise InvalidSetting(f"--shape must be that of the data, {own} of {name}, or left away, got {shape}")
    return own


def _stated(model: Classifier) -> tuple[int, ...] | None:
    """Return the shape that the model's form knows, if it knows all sides."""
    known = declaration_of(model).shape
    sides = () if known is None else tuple(side for side in known if side is not None)
    return sides if known and len(sides) == len(known) else None


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
        except InvalidModel:  # of most shapes: the reasons of seven refusals would hide what to do
            continue
        return shape
    tried = ", ".join("x".join(map(str, shape)) for shape in _USUAL)
    raise InvalidModel(f"{model.name} takes none of the usual shapes ({tried}); say which with --shape C,H,W")


def _probe(shape: tuple[int, ...], rows: int) -> torch.Tensor:
    return Streams(0, map(str, range(rows))).uniform(0, 0, shape)
