"""``unnerve harden``: train a network on what was found."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._notes import note
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, resumable, use_workers
from unnerve.studies.harden.settings import HardenRun, HardenSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["harden"]


@verb(HardenSettings, HardenRun, ModelOptions, DataOptions)
def harden(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    from_: Annotated[str, typer.Option("--from", metavar="CAMPAIGN", help="Whose findings are trained on.")],
    out: Annotated[Path, typer.Option(help="Folder of weights, attacks and report.")] = Path("runs/harden"),
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Train a network further on what was found, and prove what that changed.

    Accuracy, the success of attacks and CLEVER are measured before and after, on the same fresh inputs, attacked anew.
    The weights are in weights.safetensors of the folder, ready for --weights.

    \b
    unnerve hunt zoo:lenet5 mnist5k --region linf:0.2 --inputs 500 --out runs/a
    unnerve harden zoo:lenet5 mnist5k --from runs/a --out runs/mended
    unnerve harden net.py:build npz:test.npz --from runs/b --train npz:train.npz --repair retrain:epochs=5,rate=0.0003
    unnerve harden zoo:lenet5 mnist5k --from runs/a --repair adversarial_training --out runs/pgd --resume
    """
    from unnerve.cli.show import say, say_json
    from unnerve.reports.hardening.text import hardening_text
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.write import write_report
    from unnerve.studies.harden.harden import harden as hardened

    use_workers(workers)
    subject, examples = opened(model, data, given)
    with resumable():
        found = hardened(subject, examples, from_, out, settings=given[HardenSettings], run=given[HardenRun])
    page = write_report(found)
    for text in found.warnings:
        note(f"note: {text}")
    figures = found.summary() | {"report": str(page)} | command_figure(found.provenance, found.out)
    say_json(figures) if json else say(hardening_text(found, page))
