"""``unnerve arena``: methods side by side."""

from typing import Annotated

import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, opened, resumable
from unnerve.studies.cover.settings import CoverageSettings
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.studies.hunt.settings import HuntSettings, PatternSettings, RunSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["arena"]


@verb(
    HuntSettings,
    PatternSettings,
    DropoutSettings,
    CoverageSettings,
    RunSettings,
    GateSettings,
    ModelOptions,
    DataOptions,
    queries=1000,
)
def arena(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    methods: Annotated[
        str, typer.Option(help="Hunters with their settings, with commas: {hunter}.")
    ] = "random,pgd,guided",
    out: Annotated[str, typer.Option(help="Folder of the campaign, or an address such as s3://...")] = "runs/arena",
    report: Annotated[bool, typer.Option("--report", help="Write report.html into the folder.")] = False,
    json: JsonOption = False,
) -> None:
    """Put methods side by side: one region, one set of seeds, one budget of queries.

    Figures come with 95 % intervals, differences with those over seeds in pairs. A method that ends before its queries
    are spent starts again.

    \b
    unnerve arena zoo:lenet5 mnist5k --methods random,pgd,guided --queries 1000 --out runs/arena
    unnerve arena zoo:lenet5 mnist5k --methods "pgd:steps=10,pgd:steps=40" --region l2:1.5 --inputs 50
    unnerve arena zoo:lenet5 mnist5k --methods pgd,deepsensor --inputs 20 --coverage all --profile mnist5k
    """
    from unnerve.cli.show import tell_campaign
    from unnerve.studies.campaign.campaign import COUNTS, SHARES
    from unnerve.studies.hunt.arena import arena as compared

    limits = given[GateSettings]
    limits.check(SHARES, COUNTS)
    subject, examples = opened(model, data, given)
    settings, run = given[HuntSettings], given[RunSettings]
    more = {
        "pattern": given[PatternSettings],
        "dropout": given[DropoutSettings],
        "coverage": given[CoverageSettings],
    }
    with resumable():
        campaign = compared(subject, examples, methods, out, settings=settings, run=run, **more)
    tell_campaign(campaign, {"rows": campaign.rows()}, json, limits, report)
