"""What the verbs that run campaigns share: options, engine, display, and the end of a run."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.campaign.campaign_run import Engine
    from unnerve.core.examples import Examples
    from unnerve.studies.campaign import Campaign

__all__ = [
    "AddressOption",
    "EngineOption",
    "HuntedInputsOption",
    "OracleOption",
    "QuantisedOption",
    "ReferenceOption",
    "RegionOption",
    "ResumeOption",
    "SecondsOption",
    "ShardOption",
    "StopAtFirstOption",
    "Stopped",
    "TargetOption",
    "engine_from",
    "reference_from",
    "resumable",
    "tell",
]

RegionOption = Annotated[
    str | None, typer.Option(help="linf:R, l2:R or l0:SHARE; linf:0.1 for 28x28 grey images, else linf:8/255.")
]
OracleOption = Annotated[
    str | None, typer.Option(help="What is an error: misclassified (default with labels), changed, becomes:CLASS.")
]
TargetOption = Annotated[int | None, typer.Option(min=0, help="Only answers of this class count (becomes:CLASS).")]
HuntedInputsOption = Annotated[int, typer.Option(min=1, help="Seeds: the first N correctly classified inputs.")]
StopAtFirstOption = Annotated[
    bool, typer.Option("--stop-at-first", help="Leave a seed alone after its first error, not go on for more kinds.")
]
QuantisedOption = Annotated[
    bool, typer.Option("--quantised", help="Errors must survive rounding to 8 bits, to exist as image files.")
]
ReferenceOption = Annotated[
    str | None,
    typer.Option(
        metavar="DATA",
        help="Data (its train split) whose first 1,000 inputs show what neurons usually do, for deepsensor; "
        "DATA itself by default.",
    ),
]
ResumeOption = Annotated[bool, typer.Option("--resume", help="Go on with the campaign in --out, if there is one.")]
SecondsOption = Annotated[
    float | None, typer.Option(help="Stop after so long; what is finished is kept, --resume does the rest.")
]
ShardOption = Annotated[int, typer.Option(min=1, help="Seeds that are run and stored together.")]
EngineOption = Annotated[str, typer.Option(help="local (this process) or ray (many processes, many machines).")]
AddressOption = Annotated[
    str | None, typer.Option(help="With --engine ray: of a running cluster; one is started here without it.")
]


class Stopped(Exception):
    """The user pressed Ctrl-C; the message says how to go on."""


def engine_from(name: str, address: str | None, workers: int | None) -> "Engine":
    """Take the engine that the options describe; for a local one, ``workers`` are processor threads."""
    from unnerve.campaign.engines.local import Local
    from unnerve.campaign.engines.ray import Ray
    from unnerve.cli.options import use_workers

    if name == "ray":
        return Ray(address, workers)
    if name != "local":
        raise InvalidSetting(f"engine must be local or ray, got '{name}'")
    if address is not None:
        raise InvalidSetting("--address needs --engine ray")
    use_workers(workers)
    return Local()


def reference_from(source: str | None, stored_range: str | None) -> "Examples | None":
    """Take the data to compare with that the options describe."""
    from unnerve.cli.options import data_from
    from unnerve.subjects.data import has_splits

    return None if source is None else data_from(source, "train" if has_splits(source) else None, None, stored_range)


@contextmanager
def resumable(what: str) -> Iterator[Callable[[Any], None]]:
    """Show how far a campaign is, and say after Ctrl-C that it can be resumed; yields show(progress)."""
    from unnerve.cli.show import campaign_bar

    try:
        with campaign_bar(what) as progress:
            yield progress
    except KeyboardInterrupt:
        # typer would take a KeyboardInterrupt for itself, and forget what it says.
        raise Stopped("stopped; the same command with --resume goes on from here") from None


def tell(campaign: "Campaign", figures: dict[str, Any], json: bool) -> None:
    """Print the end of a run, for a person or for a program."""
    from unnerve.cli.show import say, say_json

    if json:
        gains = campaign.coverage
        say_json(figures | {"coverage": None if gains is None else gains.to_json()})
        return
    from unnerve.report.campaign.text import campaign_text

    say(campaign_text(campaign))
