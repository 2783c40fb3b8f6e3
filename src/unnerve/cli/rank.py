"""``unnerve rank``: which inputs to try first."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    DrawsOption,
    DropoutOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NormaliseOption,
    OutputsOption,
    PlacesOption,
    SeedOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    dropout_from,
    model_from,
    use_workers,
)
from unnerve.core.errors import InvalidSetting
from unnerve.core.specification import specifications

if TYPE_CHECKING:
    from unnerve.core.examples import Examples
    from unnerve.core.model import Classifier
    from unnerve.studies.ranking_proof import RankingTrial

__all__ = ["rank"]


def rank(
    model: ModelArgument,
    data: DataArgument,
    score: Annotated[
        str,
        typer.Option(
            help="pd, pv, pe, gini, margin, max_probability, random; of dropout: vro, vr, predictive_entropy, "
            "mutual_information; several with commas."
        ),
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
    dropout: DropoutOption = None,
    dropout_places: PlacesOption = None,
    draws: DrawsOption = None,
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
    Scores of dropout run --draws passes more; a network without dropout is given some by --dropout.
    With --evaluate the order is put to the proof against random order.

    \b
    unnerve rank zoo:lenet5 mnist5k --score pd --out ranking.csv
    unnerve rank zoo:lenet5 mnist5k --evaluate --report ranking.html
    unnerve rank net.py:build npz:images.npz --normalise 0.13/0.31 --json
    unnerve rank zoo:lenet5 mnist5k --score vro --dropout 0.4
    """
    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.files import check_writable
    from unnerve.studies.rank import rank as ranked
    from unnerve.studies.rank import writable_table
    from unnerve.studies.ranking_proof import RankingTrial

    use_workers(workers)
    asked = _names(score)
    _check_use(evaluate, asked, {"tries": tries, "repeats": repeats, "perturbation": perturbation, "report": report})
    drawn = _check_draws(asked, {"dropout": dropout, "dropout-places": dropout_places, "draws": draws})
    count = 50 if draws is None else draws
    table, page = writable_table(out or Path("ranking.csv")), report or Path("ranking.html")
    if evaluate:
        check_writable(page)
    wishes = {"inputs": inputs, "tries": tries, "repeats": repeats, "perturbation": perturbation}
    given: dict[str, Any] = {key: wish for key, wish in wishes.items() if wish is not None}
    trial = RankingTrial(seed=seed, **given)
    subject = model_from(model, weights, normalise, outputs, device)
    examples = data_from(data, split, limit, stored_range)
    subject = dropout_from(subject, examples, dropout, dropout_places, draws, seed)
    chosen = examples if evaluate else examples.first(inputs)
    with bar("ranking", "inputs") as progress:
        ranking = ranked(subject, chosen, asked[0], seed=seed, draws=count, progress=progress)
    figures: dict[str, Any] = {
        "score": ranking.score,
        "count": len(ranking),
        "out": str(table),
        "seconds": ranking.seconds,
    }
    text = f"{len(ranking):,} inputs by {ranking.score}, most suspect first: {table}"
    if drawn:
        figures |= {"draws": count, "dropout": _dropout(subject, chosen)}
        text += f"\n{_in_words(figures)}"
    if evaluate:
        proof_figures, proof_text = _proven(subject, examples, asked, trial, count, page)
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


def _check_draws(asked: list[str], options: dict[str, object]) -> bool:
    """Say whether a score needs dropout; refuse options that would be ignored without."""
    from unnerve.core.catalogue import names
    from unnerve.core.methods import evidence
    from unnerve.core.scores import score_named

    if any("draws" in evidence(score_named(name)) for name in asked):
        return True
    ignored = [f"--{name}" for name, value in options.items() if value is not None]
    if ignored:
        able = [name for name in names("score") if "draws" in evidence(score_named(name))]
        need = "needs" if len(ignored) == 1 else "need"
        raise InvalidSetting(f"{' and '.join(ignored)} {need} a --score of dropout: {', '.join(able)}")
    return False


def _dropout(subject: "Classifier", examples: "Examples") -> dict[str, Any]:
    """Return the rate and the places of the dropout that was used; None and nothing for the network's own."""
    from unnerve.subjects.adapters.torch_module import TorchModule

    assert isinstance(subject, TorchModule)
    places = subject.dropout_places(examples.batch(range(1)).inputs)
    return {"rate": subject.dropout.rate, "places": list(places)}


def _in_words(figures: dict[str, Any]) -> str:
    rate, places = figures["dropout"]["rate"], figures["dropout"]["places"]
    strength = "the network's own dropout" if rate is None else f"dropout {rate:.3g}"
    where = ", ".join(place.replace("before:", "before ") if ":" in place else f"after {place}" for place in places)
    return f"{figures['draws']} draws under {strength}{f' {where}' if where else ''}"


def _names(score: str) -> list[str]:
    if not score.strip(" ,"):
        raise InvalidSetting("--score must name a score, got nothing; unnerve methods lists them")
    return specifications(score)


def _proven(
    subject: "Classifier", examples: "Examples", asked: list[str], trial: "RankingTrial", draws: int, page: Path
) -> tuple[dict[str, Any], str]:
    """Prove the order, write the report, and return figures and text."""
    import sys

    from unnerve.cli.show import bar
    from unnerve.report.html import ranking_html, write_html
    from unnerve.report.text import ranking_text
    from unnerve.studies.evaluate_ranking import BASELINES, evaluate_ranking

    with bar("trying", "inputs") as progress:
        names = list(dict.fromkeys([*asked, *BASELINES]))
        proof = evaluate_ranking(subject, examples, names, trial, draws=draws, progress=progress)
    write_html(page, ranking_html(proof, shlex.join(["unnerve", *sys.argv[1:]])))
    return proof.summary(), ranking_text(proof, page)
