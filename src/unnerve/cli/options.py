"""Arguments that several verbs share, and what they open."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from unnerve.cli._notes import note
from unnerve.cli._verb import Given
from unnerve.core.storage.limits import check_threads
from unnerve.subjects.opening import DataOptions, ModelOptions

if TYPE_CHECKING:
    from unnerve.core.data.examples import Examples
    from unnerve.core.data.ranges import ValueRange
    from unnerve.core.model import Classifier

__all__ = [
    "DataArgument",
    "JsonOption",
    "ModelArgument",
    "SeedOption",
    "Stopped",
    "WorkersOption",
    "opened",
    "resumable",
    "tell_skipped",
    "use_workers",
]

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="zoo:lenet5, FILE.py:callable, package.module:callable, FILE.onnx, FILE.pt2, FILE.pt ... (unnerve methods "
        "lists the model forms); input transforms may follow: zoo:lenet5|jpeg:75",
    ),
]
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="digits, mnist5k, mnist:DIR, fashion-mnist:DIR, cifar10:DIR, cifar100:DIR, imagefolder:DIR or DIR, "
        "speech:FILE, npz:FILE or FILE.npz, FILE.csv, FILE.parquet, FILE.py:callable ... (unnerve methods lists the "
        "data sets)",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="The random seed: decides everything random.")]
WorkersOption = Annotated[int | None, typer.Option("--workers", help="Processor threads; all by default.")]


_SHOWN = 5


class Stopped(Exception):
    """The user pressed Ctrl-C; the message says how to go on."""


def opened(model: str, data: str, given: Given) -> tuple["Classifier", "Examples"]:
    """Take the model and the data that the arguments and options describe."""
    from unnerve.subjects.joined import examples_for, joined
    from unnerve.subjects.models import model as as_model

    log = logging.getLogger(__name__)
    subject = as_model(model, options=given[ModelOptions])
    log.info("opened the model %s", subject.name)
    found = examples_for(subject, data, given[DataOptions])
    log.info("opened the data %s: %d inputs of shape %s", found.name, len(found), found.shape)
    tell_skipped(found)
    _tell_ranges(getattr(subject, "expects", None), found, subject.name)
    return joined(subject, found)


def tell_skipped(data: "Examples") -> None:
    """Say on stderr which inputs are left out because they cannot be read."""
    if data.skipped:
        shown = ", ".join(data.skipped[:_SHOWN]) + (", ..." if len(data.skipped) > _SHOWN else "")
        note(f"{len(data.skipped):,} unreadable inputs are left out: {shown}")


def _tell_ranges(expected: "ValueRange | None", data: "Examples", name: str) -> None:
    """Say on stderr what the data hold and what the model is given, unless both are what is usual for such data."""
    from unnerve.core.data.ranges import UNIT, range_text

    if data.features is not None:
        return  # every column of a table has a range of its own
    held = data.value_range
    usual = UNIT if data.clips is None else (-1.0, 1.0)
    expected = expected or held
    if (expected, held) != (usual, usual):
        given = "as they are" if expected == held else f"in {range_text(expected)}"
        note(f"the data hold values in {range_text(held)}; {name} is given them {given}")


def use_workers(count: int | None) -> None:
    """Let torch use so many threads."""
    check_threads(count)
    if count is None:
        return
    import torch

    torch.set_num_threads(count)


@contextmanager
def resumable() -> Iterator[None]:
    """Say after Ctrl-C that a campaign can be resumed."""
    try:
        yield
    except KeyboardInterrupt:
        # typer would take a KeyboardInterrupt for itself, and forget what it says.
        raise Stopped("stopped; the same command with --resume goes on from here") from None
