"""``unnerve hunt``: find inputs that fail."""

from typing import Annotated

import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, opened, resumable
from unnerve.studies.cover.settings import CoverageSettings
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.studies.hunt.settings import HuntSettings, PatternSettings, RunSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["hunt"]


@verb(
    HuntSettings,
    PatternSettings,
    DropoutSettings,
    CoverageSettings,
    RunSettings,
    GateSettings,
    ModelOptions,
    DataOptions,
)
def hunt(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    method: Annotated[str, typer.Option(help="Hunters with their settings, with commas: {hunter}.")] = "pgd",
    out: Annotated[str, typer.Option(help="Folder of the campaign, or an address such as s3://...")] = "runs/hunt",
    report: Annotated[bool, typer.Option("--report", help="Write report.html into the folder.")] = False,
    json: JsonOption = False,
) -> None:
    """Find inputs that fail, and keep the proven ones.

    Every finding was run again from its stored bytes, is still wrong and still inside the region. A run that was
    stopped or killed goes on with --resume and ends with the same findings.

    \b
    unnerve hunt zoo:lenet5 mnist5k --region linf:0.1 --inputs 1000 --out runs/a
    unnerve hunt net.py:build npz:images.npz --method guided --queries 2000 --out runs/b
    unnerve hunt zoo:lenet5 mnist5k --method deepsensor --neurons conv_dense --out runs/d
    unnerve hunt zoo:lenet5 mnist5k --method kuk --pattern HH --dropout vro=0.3 --region linf:0.3 --inputs 20
    unnerve hunt zoo:lenet5 mnist5k --engine ray --workers 2 --out runs/c --resume
    """
    from unnerve.cli.show import tell_campaign
    from unnerve.studies.campaign.campaign import COUNTS, SHARES
    from unnerve.studies.hunt.hunt import hunt as hunted

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
        campaign = hunted(subject, examples, method, out, settings=settings, run=run, **more)
    rows = campaign.rows()
    tell_campaign(campaign, rows[0] if len(rows) == 1 else {"rows": rows}, json, limits, report)
