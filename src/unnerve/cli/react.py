"""``unnerve react``: which neurons react when inputs become errors."""

import shlex
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli._hunting import HuntedInputsOption, RegionOption
from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NeuronsOption,
    NormaliseOption,
    OutputsOption,
    SeedOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    model_from,
    use_workers,
)
from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.studies.campaign import Campaign

__all__ = ["react"]


def react(
    model: ModelArgument,
    data: DataArgument,
    campaign: Annotated[
        str | None, typer.Option(metavar="CAMPAIGN", help="Folder of a campaign; a short hunt without it.")
    ] = None,
    reaction: Annotated[
        str, typer.Option(help="sensitivity, or a Shapley value: owen, path, taylor, leave_one_out, permutation.")
    ] = "sensitivity",
    threshold: Annotated[
        float | None, typer.Option(help="From where on a neuron reacts: 0.5 for sensitivity, else 0.02 nats.")
    ] = None,
    pairs: Annotated[int, typer.Option(min=1, help="Most pairs of a seed and its smallest error, per method.")] = 100,
    top: Annotated[int, typer.Option(min=1, help="How many neurons are the strongest.")] = 20,
    out: Annotated[Path, typer.Option(help="The HTML file.")] = Path("reactions.html"),
    methods: Annotated[
        str | None, typer.Option(help="Of the short hunt: hunters; pgd,class_tour,guided,deepsensor by default.")
    ] = None,
    queries: Annotated[int, typer.Option(min=1, help="Of the short hunt: per seed and method.")] = 500,
    region: RegionOption = None,
    inputs: HuntedInputsOption = 50,
    neurons: NeuronsOption = None,
    split: SplitOption = None,
    limit: LimitOption = None,
    weights: WeightsOption = None,
    normalise: NormaliseOption = None,
    outputs: OutputsOption = "auto",
    stored_range: StoredRangeOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Show which neurons react when inputs become errors.

    For each method: the share of every layer's neurons that react, against noise of the same size, the strongest
    neurons, and how many of them the methods share. Needs errors: those of a campaign, or of a short hunt.

    \b
    unnerve react zoo:lenet5 mnist5k --campaign runs/arena
    unnerve react zoo:lenet5 mnist5k --campaign runs/arena --reaction owen:coalitions=64 --out blame.html
    unnerve react zoo:lenet5 mnist5k --region linf:0.2 --methods pgd,deepsensor
    """
    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.catalogue import build
    from unnerve.core.files import check_writable
    from unnerve.report.reactions import reactions_text, write_reactions_report
    from unnerve.studies.campaign import Campaign
    from unnerve.studies.reactions import reactions

    if campaign is not None and (methods is not None or region is not None):
        raise InvalidSetting("--methods and --region are for a short hunt; --campaign brings its own")
    check_writable(out)
    measure = build("reaction", reaction)
    use_workers(workers)
    subject = model_from(model, weights, normalise, outputs, device, neurons)
    examples = data_from(data, split, limit, stored_range)
    with tempfile.TemporaryDirectory(prefix="unnerve") as folder:
        if campaign is None:
            hunting = {"queries": queries, "region": region, "inputs": inputs, "seed": seed}
            hunted = _hunted(
                subject, examples, methods or "pgd,class_tour,guided,deepsensor", f"{folder}/hunt", hunting
            )
        else:
            hunted = Campaign.at(campaign)
        with bar("reacting", "pairs") as progress:
            found = reactions(
                subject,
                examples,
                hunted,
                measure,
                threshold=threshold,
                pairs=pairs,
                top=top,
                seed=seed,
                progress=progress,
            )
    if campaign is None:
        found = replace(found, campaign="a short hunt")
    write_reactions_report(found, out, shlex.join(["unnerve", *sys.argv[1:]]))
    say_json(found.summary() | {"report": str(out)}) if json else say(reactions_text(found, out))


def _hunted(subject: Any, examples: Any, methods: str, out: str, hunting: dict[str, Any]) -> "Campaign":
    from unnerve.cli.show import campaign_bar
    from unnerve.core.specification import specifications
    from unnerve.studies.arena import arena

    with campaign_bar("a short hunt") as progress:
        return arena(subject, examples, specifications(methods), out, progress=progress, **hunting)
