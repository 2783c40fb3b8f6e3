"""``unnerve score``: how robust a model is."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._notes import note
from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.studies.score.settings import ScoreSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["score"]


@verb(ScoreSettings, ModelOptions, DataOptions)
def score(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    out: Annotated[Path, typer.Option(help="The HTML file.")] = Path("score.html"),
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how robust a model is: by CLEVER, or by the success of attacks.

    CLEVER estimates how far each input may be changed before its answer changes. Attack success is the share of
    correctly answered inputs that an attack breaks, by class and attack, with a warning where gradients look masked.

    \b
    unnerve score zoo:lenet5 mnist5k --inputs 20
    unnerve score zoo:lenet5 mnist5k --measure clever:norm=linf,radius=0.3,batches=100
    unnerve score zoo:lenet5 mnist5k --measure clever:targets=3 --inputs 20
    unnerve score zoo:lenet5 mnist5k --measure attack_success --region linf:0.1 --attacks apgd,square
    """
    from unnerve.cli.show import say, say_json
    from unnerve.core.data.provenance import called_with
    from unnerve.core.storage.files import check_page
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.robustness.words import robustness_text
    from unnerve.reports.write import write_report
    from unnerve.studies.score.score import score as scored

    check_page(out)
    use_workers(workers)
    subject, examples = opened(model, data, given)
    found = scored(subject, examples, settings=given[ScoreSettings], progress=shows_progress())
    found = called_with(found, **({} if str(out) == "score.html" else {"out": str(out)}))
    write_report(found, out)
    for text in found.warnings:
        note(f"note: {text}")
    if json:
        say_json(found.summary() | {"report": str(out)} | command_figure(found.provenance))
        return
    say(robustness_text(found, out))
