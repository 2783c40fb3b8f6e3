"""Which verbs will work on a model, and which will not, and why."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from unnerve.core.data.clips import Clips
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel
from unnerve.core.fitting import NORMED, region_names
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import find, names, settings
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.adapters.trainable import check_trainable

__all__ = ["Usable", "usable_verbs"]

_SOME = 6


@dataclass(frozen=True)
class Usable:
    """One verb.

    Parameters
    ----------
    verb : str
    works : bool
    note : str
        With what, or why not.
    """

    verb: str
    works: bool
    note: str = ""

    def __str__(self) -> str:
        return f"{self.verb}: {'yes' if self.works else 'no'}{f', {self.note}' if self.note else ''}"


def usable_verbs(
    model: Classifier, shape: tuple[int, ...], labelled: bool | None, data: Examples | None = None
) -> tuple[Usable, ...]:
    """Say of every verb that takes a model and data whether it will work.

    Parameters
    ----------
    model : Classifier
    shape : tuple of int
        Of one input.
    labelled : bool or None
        Whether the data has labels; None if there is no data.
    data : Examples, optional
        Clips and tables are not changed as images are.
    """
    offers = model.offers
    droppable = Capability.DROPOUT in offers or isinstance(model, TorchModule)
    neurons = Usable("", Capability.NEURONS in offers, "" if Capability.NEURONS in offers else "it shows no neurons")
    clips, regions = (None, None) if data is None else (data.clips, region_names(data))
    # By the channels: three axes alone could be three rows of a table, or a spectrogram.
    images = clips is None and len(shape) == 3 and shape[0] in (1, 3)
    pictured = images or clips is not None
    # Dropout can be given to any module, for map as for the hunters that ask for it.
    hunters = _fitting("hunter", offers | Capability.DROPOUT if droppable else offers, shape, regions)
    return (
        Usable("rank", True, "" if droppable else "with scores that need no dropout"),
        Usable("hunt", True, hunters),
        Usable("arena", True, hunters),
        Usable("map", droppable, _dropout(offers, droppable)),
        Usable("cover", neurons.works, neurons.note),
        Usable("react", neurons.works, neurons.note),
        Usable(
            "score", True, "" if Capability.GRADIENTS in offers else "--measure attack_success: it has no gradients"
        ),
        _needing_labels("defend", labelled, _fitting("defence", offers, shape)),
        _needing_labels("diagnose", labelled, "") if pictured else Usable("diagnose", False, "it takes no images"),
        _corrupt(images, clips),
        _hardened(model, labelled),
    )


def _corrupt(images: bool, clips: Clips | None) -> Usable:
    if clips is not None and clips.form != "waveform":
        return Usable("corrupt", False, "natural changes of speech are of waveforms")
    works = images or clips is not None
    return Usable("corrupt", works, "" if works else "it takes no images")


def _hardened(model: Classifier, labelled: bool | None) -> Usable:
    try:
        check_trainable(model)
    except InvalidModel as problem:
        return Usable("harden", False, str(problem).removeprefix(f"{model.name} "))
    return _needing_labels("harden", labelled, "")


def _dropout(offers: Capability, droppable: bool) -> str:
    if not droppable:
        return "dropout can only be given to an nn.Module"
    return "" if Capability.DROPOUT in offers else "with --dropout: it has none of its own"


def _needing_labels(verb: str, labelled: bool | None, note: str) -> Usable:
    if labelled is False:
        return Usable(verb, False, "the data has no labels")
    return Usable(verb, True, "; ".join(filter(None, (note, "" if labelled else "the data must have labels"))))


def _fitting(kind: str, offers: Capability, shape: tuple[int, ...], regions: tuple[str, ...] | None = None) -> str:
    """Return how many methods of a kind fit, and which of the others do not."""
    every = {name: find(kind, name) for name in names(kind)}
    missing = [
        name
        for name, method in every.items()
        if _needs(method) & ~offers
        or getattr(method, "axes", len(shape)) != len(shape)
        or not _has_region(method, regions)
    ]
    if not missing:
        return f"all {len(every)} methods"
    return f"{len(every) - len(missing)} of {len(every)} methods; not {_listed(missing)}"


def _has_region(method: Callable[..., object], regions: tuple[str, ...] | None) -> bool:
    """Say whether a method works in some region of the data; every kind of data has a ball of a norm."""
    own = getattr(method, "regions", None)
    return regions is None or not isinstance(own, tuple) or NORMED in own or bool(set(own) & set(regions))


def _needs(method: Callable[..., object]) -> Capability:
    """Return what a method asks of a model, with its usual settings where they decide."""
    if not inspect.isclass(method):
        return Capability.ANSWERS
    # A class with a setting that must be given cannot be made here: what it says for all settings has to do.
    bare = any(one.default is one.empty for one in settings(method).values())
    needs = getattr(method if bare else method(), "needs", Capability.ANSWERS)
    return needs if isinstance(needs, Capability) else Capability.ANSWERS


def _listed(some: Sequence[str]) -> str:
    return ", ".join(some[:_SOME]) + (f" and {len(some) - _SOME} more" if len(some) > _SOME else "")
