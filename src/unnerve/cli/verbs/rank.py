"""``unnerve rank``: order inputs, most suspect first."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import (
    DataArgument,
    JsonOption,
    ModelArgument,
    SeedOption,
    WorkersOption,
    opened,
    use_workers,
)
from unnerve.core.errors import InvalidSetting
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.opening import DataOptions, ModelOptions

if TYPE_CHECKING:
    from unnerve.core.data.examples import Examples
    from unnerve.core.model import Classifier
    from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["rank"]


@verb(DropoutSettings, GateSettings, ModelOptions, DataOptions, optional={RankingTrial: "With --evaluate"})
def rank(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    score: Annotated[
        str,
        typer.Option(
            help="A score, or an order by coverage: {score}; {order}. With --evaluate several, with commas. unnerve "
            "methods NAME says what each is about."
        ),
    ] = "pd",
    out: Annotated[Path | None, typer.Option(help="The order as .csv or .parquet; ./ranking.csv by default.")] = None,
    inputs: Annotated[
        int | None, typer.Option(help="Rank the first N; with --evaluate, try N random ones (1000).")
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Prove the order: tries to the first failure, Eff, Inc, APFD, fits.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="With --evaluate: the HTML report; ./ranking.html by default.")
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Training data (its train split), for lsa, dsa, mdsa and orders by kmnc."),
    ] = None,
    seed: SeedOption = 0,
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
    from unnerve.cli.show import tell
    from unnerve.core.data.provenance import called_with
    from unnerve.core.naming.specification import specifications
    from unnerve.core.storage.files import check_page
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.parts.page import write_html
    from unnerve.reports.ranking.first import effort, suspects_command
    from unnerve.reports.ranking.html import ranking_html
    from unnerve.reports.ranking.text import ranking_text
    from unnerve.studies.dropout.dropping import dropping
    from unnerve.studies.gates.gate import gate
    from unnerve.studies.rank.rank import rank as ranked
    from unnerve.studies.rank.ranking_proof import COUNTS, SHARES
    from unnerve.studies.rank.result import writable_table

    use_workers(workers)
    if not score.strip(" ,"):
        raise InvalidSetting("--score must name a score")
    asked, dropout, wishes = specifications(score), given[DropoutSettings], given.named(RankingTrial)
    limits = given[GateSettings]
    limits.check(SHARES, COUNTS)
    only_proof = {key: wishes[key] for key in wishes if key not in ("inputs", "seed")}
    _check_use(evaluate, asked, {**only_proof, "report": report, "fail-if": limits.fail_if or None})
    drawn = _check_draws(asked, dropout.given)
    # Where nothing can be written is said before the work, not after it.
    table, page = writable_table(out or Path("ranking.csv")), report or Path("ranking.html")
    if evaluate:
        check_page(page)
    trial = replace(RankingTrial(**wishes), seed=seed)
    subject, examples = opened(model, data, given)
    subject = dropping(subject, examples, dropout, seed)
    chosen = examples if evaluate else examples.first(inputs)
    own = DropoutSettings(draws=dropout.draws)
    ranking = ranked(
        subject,
        chosen,
        asked[0],
        seed=seed,
        reference=_for(asked[:1], reference),
        dropout=own,
        progress=shows_progress(),
    )
    figures: dict[str, Any] = ranking.summary() | {"out": str(table)}
    text = "\n".join(
        (*ranking.accuracy.lines(), f"{len(ranking):,} inputs by {ranking.score}, most suspect first: {table}")
    )
    if drawn:
        figures |= {"draws": dropout.count, "dropout": _dropout(subject, chosen)}
        text += f"\n{_in_words(figures)}"
    judged, further = None, _further(report, out, dropout)
    figures |= command_figure(called_with(ranking, **further).provenance)
    if evaluate:
        proof = called_with(_proven(subject, examples, asked, reference, trial, own), **further)
        judged = gate(proof.summary(), limits.fail_if, limits.undecided)
        write_html(page, ranking_html(proof, gate=judged))
        more = {"report": str(page), "seconds": ranking.seconds + proof.seconds, **command_figure(proof.provenance)}
        figures = proof.summary() | figures | more
        text = f"{ranking_text(proof, page)}\n{text}"
    ranking.save(table)
    next_step = suspects_command(ranking.provenance, effort(len(chosen)), str(table))
    tell(figures, f"{text}\nNext: {next_step}" if next_step else text, json, judged)


def _further(report: Path | None, out: Path | None, dropout: DropoutSettings) -> dict[str, str | bool]:
    """Return settings of the command that the studies do not know: where it writes to, and which dropout it used."""
    from unnerve.core.naming.option_text import changed

    files = {name: str(path) for name, path in (("report", report), ("out", out)) if path is not None}
    # The model was given its dropout before, once for the ranking and for the proof.
    return {**files, **changed(dropout).options}


def _check_use(evaluate: bool, asked: list[str], options: dict[str, object]) -> None:
    """Refuse what would be ignored without --evaluate."""
    ignored = [f"--{name}" for name, value in options.items() if value is not None]
    if not evaluate and ignored:
        raise InvalidSetting(f"{' and '.join(ignored)} {'needs' if len(ignored) == 1 else 'need'} --evaluate")
    if not evaluate and len(asked) > 1:
        raise InvalidSetting(f"one score makes an order, got {', '.join(asked)}; with --evaluate several are compared")


def _check_draws(asked: list[str], options: dict[str, object]) -> bool:
    """Say whether a score needs dropout; refuse options that would be ignored without."""
    from unnerve.core.methods import evidence
    from unnerve.core.naming.catalogue import names
    from unnerve.core.scores import score_named
    from unnerve.studies.rank.comparison import Order, named_method

    methods = [named_method(name) for name in asked]
    if any("draws" in evidence(one) for one in methods if not isinstance(one, Order)):
        return True
    ignored = [f"--{name}" for name in options]
    if ignored:
        able = [name for name in names("score") if "draws" in evidence(score_named(name))]
        need = "needs" if len(ignored) == 1 else "need"
        raise InvalidSetting(f"{' and '.join(ignored)} {need} a --score of dropout: {', '.join(able)}")
    return False


def _for(asked: list[str], reference: str | None) -> str | None:
    """Return the reference data if the score that makes the order compares with it; the proof may have others."""
    from unnerve.core.methods import evidence
    from unnerve.studies.rank.comparison import Order, named_method

    methods = [named_method(name) for name in asked]
    comparing = [one.criterion.profiled if isinstance(one, Order) else "traces" in evidence(one) for one in methods]
    return reference if any(comparing) else None


def _dropout(subject: "Classifier", examples: "Examples") -> dict[str, Any]:
    """Return the rate and the places of the dropout that was used; None and nothing for the network's own."""
    from unnerve.subjects.adapters.torch_module import TorchModule

    assert isinstance(subject, TorchModule)
    places = subject.dropout_points(examples.batch(range(1)).inputs)
    return {"rate": subject.dropout.rate, "places": list(places)}


def _in_words(figures: dict[str, Any]) -> str:
    rate, places = figures["dropout"]["rate"], figures["dropout"]["places"]
    strength = "the network's own dropout" if rate is None else f"dropout {rate:.3g}"
    where = ", ".join(place.replace("before:", "before ") if ":" in place else f"after {place}" for place in places)
    return f"{figures['draws']} draws under {strength}{f' {where}' if where else ''}"


def _proven(
    subject: "Classifier",
    examples: "Examples",
    asked: list[str],
    reference: str | None,
    trial: RankingTrial,
    draws: DropoutSettings,
) -> "RankingProof":
    from unnerve.studies.rank.evaluate_ranking import BASELINES, evaluate_ranking

    # What was asked for comes first; the baselines follow, each once.
    names = list(dict.fromkeys([*asked, *BASELINES]))
    proof: RankingProof = evaluate_ranking(
        subject, examples, names, reference=reference, trial=trial, dropout=draws, progress=shows_progress()
    )
    return proof
