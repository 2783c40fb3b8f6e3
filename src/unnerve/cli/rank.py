"""``unnerve rank``: which inputs to try first."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    JsonOption,
    LimitOption,
    ModelArgument,
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
    from unnerve.core.examples import Examples
    from unnerve.core.model import Classifier
    from unnerve.studies.ranking_proof import Protocol

__all__ = ["rank"]


def rank(
    model: ModelArgument,
    data: DataArgument,
    score: Annotated[
        str, typer.Option(help="pd, pv, pe, gini, margin, max_probability, random; several with commas.")
    ] = "pd",
    out: Annotated[Path | None, typer.Option(help="The order as .csv or .parquet; ./ranking.csv by default.")] = None,
    inputs: Annotated[
        int | None, typer.Option(help="Rank the first N; with --evaluate, try N random ones (1000).")
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Prove the order: Eff, F-measure, Inc, APFD, fits.")
    ] = False,
    tries: Annotated[int | None, typer.Option(help="With --evaluate: perturbed copies per input (100).")] = None,
    repeats: Annotated[int | None, typer.Option(help="With --evaluate: independent F-measure runs (10).")] = None,
    perturbation: Annotated[
        str | None, typer.Option(help="With --evaluate: patch (default), patch:colour=invert.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="With --evaluate: the HTML report; ./ranking.html by default.")
    ] = None,
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
    """Order inputs, most suspect first.

    The order says how easily each input will be turned into an error. Black-box: one forward pass per input.
    With --evaluate the order is put to the proof against random order.

    \b
    unnerve rank zoo:lenet5 mnist5k --score pd --out ranking.csv
    unnerve rank zoo:lenet5 mnist5k --evaluate --report ranking.html
    unnerve rank net.py:build npz:images.npz --normalise 0.13/0.31 --json
    """
    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.files import check_writable
    from unnerve.studies.rank import rank as ranked
    from unnerve.studies.rank import writable_table
    from unnerve.studies.ranking_proof import Protocol

    use_workers(workers)
    asked = _names(score)
    _check_use(evaluate, asked, {"tries": tries, "repeats": repeats, "perturbation": perturbation, "report": report})
    table, page = writable_table(out or Path("ranking.csv")), report or Path("ranking.html")
    if evaluate:
        check_writable(page)
    wishes = {"inputs": inputs, "tries": tries, "repeats": repeats, "perturbation": perturbation}
    given: dict[str, Any] = {key: wish for key, wish in wishes.items() if wish is not None}
    protocol = Protocol(seed=seed, **given)
    subject = model_from(model, weights, normalise, outputs, device)
    examples = data_from(data, split, limit, stored_range)
    chosen = examples if evaluate else examples.first(inputs)
    with bar("ranking", "inputs") as progress:
        ranking = ranked(subject, chosen, asked[0], seed=seed, progress=progress)
    figures = {"score": ranking.score, "count": len(ranking), "out": str(table), "seconds": ranking.seconds}
    text = f"{len(ranking):,} inputs by {ranking.score}, most suspect first: {table}"
    if evaluate:
        proof_figures, proof_text = _proven(subject, examples, asked, protocol, page)
        seconds = ranking.seconds + proof_figures["seconds"]
        figures = proof_figures | figures | {"report": str(page), "seconds": seconds}
        text = f"{proof_text}\n{text}"
    ranking.save(table)
    say_json(figures) if json else say(text)


def _check_use(evaluate: bool, asked: list[str], options: dict[str, object]) -> None:
    """Refuse what would be ignored without --evaluate."""
    ignored = [f"--{name}" for name, value in options.items() if value is not None]
    if not evaluate and ignored:
        raise InvalidSetting(f"{' and '.join(ignored)} {'needs' if len(ignored) == 1 else 'need'} --evaluate")
    if not evaluate and len(asked) > 1:
        raise InvalidSetting(f"one score makes an order, got {', '.join(asked)}; with --evaluate several are compared")


def _names(score: str) -> list[str]:
    names = [name.strip() for name in score.split(",") if name.strip()]
    if not names:
        raise InvalidSetting("--score must name a score, got nothing; unnerve methods lists them")
    return names


def _proven(
    subject: "Classifier", examples: "Examples", asked: list[str], protocol: "Protocol", page: Path
) -> tuple[dict[str, Any], str]:
    """Prove the order, write the report, and return figures and text."""
    import sys

    from unnerve.cli.show import bar
    from unnerve.report.html import ranking_html, write_html
    from unnerve.report.text import ranking_text
    from unnerve.studies.evaluate_ranking import YARDSTICKS, evaluate_ranking

    with bar("trying", "inputs") as progress:
        names = list(dict.fromkeys([*asked, *YARDSTICKS]))
        proof = evaluate_ranking(subject, examples, names, protocol, progress=progress)
    write_html(page, ranking_html(proof, shlex.join(["unnerve", *sys.argv[1:]])))
    return proof.summary(), ranking_text(proof, page)
