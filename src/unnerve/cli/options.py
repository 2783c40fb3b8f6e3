"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.core.examples import Examples
    from unnerve.core.model import Classifier

__all__ = [
    "DataArgument",
    "DeviceOption",
    "DrawsOption",
    "DropoutOption",
    "JsonOption",
    "LimitOption",
    "ModelArgument",
    "NeuronsOption",
    "NormaliseOption",
    "OutputsOption",
    "PlacesOption",
    "SeedOption",
    "SplitOption",
    "StoredRangeOption",
    "WeightsOption",
    "WorkersOption",
    "data_from",
    "dropout_from",
    "model_from",
    "use_workers",
]

ModelArgument = Annotated[
    str,
    typer.Argument(metavar="MODEL", help="zoo:lenet5, FILE.py:callable, package.module:callable, FILE.pt2, FILE.pt"),
]
DataArgument = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="digits, mnist5k, mnist:DIR, fashion-mnist:DIR, cifar10:DIR, cifar100:DIR, imagefolder:DIR, npz:FILE, "
        "FILE.py:callable",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout, and nothing else there.")]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Decides everything random.")]
SplitOption = Annotated[str | None, typer.Option("--split", help="train or test, where the data has them.")]
LimitOption = Annotated[int | None, typer.Option("--limit", help="Read only the first N inputs of the data.")]
WeightsOption = Annotated[
    Path | None, typer.Option("--weights", help="safetensors, or a state dict (read without running code).")
]
NormaliseOption = Annotated[
    str | None,
    typer.Option("--normalise", help="MEAN/STD the model expects, e.g. 0.13/0.31 or 0.49,0.48,0.45/0.25,0.24,0.26."),
]
NeuronsOption = Annotated[
    str | None,
    typer.Option(
        "--neurons",
        metavar="FILTER",
        help="Which layers count: deepxplore, no_activation, conv_dense, or names such as 'conv*,fc1'; "
        "the network's own filter by default.",
    ),
]
OutputsOption = Annotated[str, typer.Option("--outputs", help="What the model returns: logits, probabilities, auto.")]
StoredRangeOption = Annotated[
    str | None, typer.Option("--stored-range", help="LOW,HIGH of stored values; they are rescaled to [0, 1].")
]
DropoutOption = Annotated[
    str | None,
    typer.Option(
        "--dropout",
        metavar="RATE",
        help="Share of units dropped in draws, or vro=V: the share at which inputs that are right have this VRO; "
        "the network's own by default.",
    ),
]
PlacesOption = Annotated[
    str | None,
    typer.Option(
        "--dropout-places",
        metavar="LAYERS",
        help="Drop after these layers, or before: 'pool*,before:fc2'; where the network does by default, "
        "else after poolings or stages and before the classifier.",
    ),
]
DrawsOption = Annotated[int | None, typer.Option("--draws", help="Passes under dropout for each input (50).")]
DeviceOption = Annotated[str | None, typer.Option("--device", help="Where the model runs, e.g. cuda.")]
WorkersOption = Annotated[int | None, typer.Option("--workers", help="Processor threads; all by default.")]


def model_from(
    source: str,
    weights: Path | None,
    normalise: str | None,
    outputs: str,
    device: str | None,
    neurons: str | None = None,
) -> "Classifier":
    """Take the model that the options describe."""
    from unnerve.subjects.models import model

    statistics = None if normalise is None else _pair("normalise", "MEAN/STD", normalise, "/")
    return model(source, weights=weights, normalise=statistics, outputs=outputs, device=device, neurons=neurons)


def data_from(source: str, split: str | None, limit: int | None, stored_range: str | None) -> "Examples":
    """Take the data that the options describe."""
    from unnerve.subjects.data import examples

    stored = None
    if stored_range is not None:
        (low,), (high,) = _pair("stored-range", "LOW,HIGH", stored_range.replace(",", "/"), "/")
        stored = (low, high)
    return examples(source, split=split, limit=limit, stored_range=stored)


def dropout_from(
    subject: "Classifier", data: "Examples", dropout: str | None, places: str | None, draws: int | None, seed: int
) -> "Classifier":
    """Return the model with the dropout that the options describe."""
    if dropout is None:
        if places is not None:
            raise InvalidSetting("--dropout-places needs --dropout RATE")
        return subject
    from unnerve.studies.calibrated_rate import calibrated_rate
    from unnerve.subjects.dropout import with_dropout

    layers = None if places is None else [place.strip() for place in places.split(",") if place.strip()]
    kind, _, number = dropout.rpartition("=")
    try:
        value = float(number)
    except ValueError:
        kind = "?"
    if kind not in ("", "vro"):
        raise InvalidSetting(f"--dropout must be a rate in (0, 1), or vro=V, got '{dropout}'")
    if kind == "vro":
        value = calibrated_rate(subject, data, value, places=layers, draws=50 if draws is None else draws, seed=seed)
    return with_dropout(subject, value, layers)


def use_workers(count: int | None) -> None:
    """Let torch use so many threads."""
    if count is None:
        return
    if count < 1:
        raise InvalidSetting(f"workers must be >= 1, got {count}")
    import torch

    torch.set_num_threads(count)


def _pair(option: str, form: str, text: str, between: str) -> tuple[list[float], list[float]]:
    try:
        first, second = ([float(part) for part in side.split(",")] for side in text.split(between))
    except ValueError:
        raise InvalidSetting(f"--{option} must be {form}, got '{text}'") from None
    return first, second
