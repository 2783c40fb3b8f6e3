"""``unnerve map``: confidence and uncertainty of benign and adversarial inputs."""

from typing import Annotated

import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, opened, resumable
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.map.settings import MapSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["map_verb"]


@verb(MapSettings, HuntSettings, DropoutSettings, RunSettings, GateSettings, ModelOptions, DataOptions)
def map_verb(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    attacks: Annotated[
        str, typer.Option(help="Hunters with their settings, with commas: {hunter}.")
    ] = "fgsm,bim,deepfool,pgd",
    out: Annotated[str, typer.Option(help="Folder of the attacks' campaign and of the map.")] = "runs/map",
    report: Annotated[
        bool, typer.Option("--report/--no-html", help="Write the report map.html beside the table, or not.")
    ] = True,
    json: JsonOption = False,
) -> None:
    """Map confidence (PCS) against uncertainty under dropout (VRO), benign inputs against attacks.

    Says which metric tells adversarial inputs from benign ones (AUC) and which pattern they fall into: LL, LH, HL,
    HH. Of every seed the smallest and the strongest finding of an attack are mapped, which differ much. The report
    map.html in the folder shows all of them in one plane.

    \b
    unnerve map zoo:lenet5 mnist5k --dropout vro=0.3 --region linf:0.3 --out runs/map
    unnerve map net.py:build npz:images.npz --attacks "pgd:steps=20,deepfool" --draws 100
    """
    from unnerve.cli.show import tell
    from unnerve.reports.map.html import write_map_report
    from unnerve.reports.map.text import map_text
    from unnerve.reports.parts.commands import command_figure
    from unnerve.studies.map.map import map as mapped
    from unnerve.studies.map.result import COUNTS, SHARES

    limits = given[GateSettings]
    limits.check(SHARES, COUNTS)
    groups = {
        "settings": given[HuntSettings],
        "dropout": given[DropoutSettings],
        "view": given[MapSettings],
        "run": given[RunSettings],
    }
    subject, examples = opened(model, data, given)
    with resumable():
        found = mapped(subject, examples, attacks, out, **groups)
    gate = found.judge(limits.fail_if, limits.undecided)
    # Always on a disk here, even if the campaign is not.
    page = write_map_report(found, gate=gate) if report else None
    files = {"table": str(found.table_path), "report": None if page is None else str(page)}
    figures = found.summary() | files | command_figure(found.provenance, found.campaign.store.path)
    tell(figures, map_text(found, found.table_path, page), json, gate)
