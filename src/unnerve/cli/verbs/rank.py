"""``unnerve rank``: order inputs, most suspect first."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.core.errors import InvalidSetting
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.gates.gate import GateSettings
from unnerve.studies.rank.settings import RankingTrial, RankSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

if TYPE_CHECKING:
    from unnerve.core.data.examples import Examples
    from unnerve.core.model import Classifier
    from unnerve.studies.gates.gate import Gate
    from unnerve.studies.rank.ranking_proof import RankingProof
    from unnerve.studies.rank.result import Ranking

__all__ = ["rank"]


@verb(
    RankSettings, DropoutSettings, GateSettings, ModelOptions, DataOptions, optional={RankingTrial: "With --evaluate"}
)
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
        Path | None, typer.Option(metavar="[PATH]", help="With --evaluate: the HTML report; ./ranking.html by default.")
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Order inputs, most suspect first.

    The order says how easily each input will be turned into an error. Black-box: one forward pass per input.
    Scores of dropout run --draws passes more; a network without dropout is given some by --dropout.
    With --evaluate the order is compared with random order.

    \b
    unnerve rank zoo:lenet5 mnist5k --score pd --out ranking.csv
    unnerve rank zoo:lenet5 mnist5k --evaluate --report ranking.html
    unnerve rank net.py:build npz:images.npz --normalise 0.13/0.31 --json
    unnerve rank zoo:lenet5 mnist5k --score vro --dropout 0.4
    """
    from unnerve.cli.show import tell
    from unnerve.core.data.provenance import called_with
    from unnerve.reports.parts.commands import command_figure
    from unnerve.reports.ranking.first import effort, suspects_command
    from unnerve.studies.dropout.dropping import dropping
    from unnerve.studies.gates.gate import gate

    use_workers(workers)
    asked = _Asked.of(score, evaluate, report, out, given)
    subject, examples = opened(model, data, given)
    subject = dropping(subject, examples, asked.dropout, asked.settings.seed)
    chosen = examples if evaluate else examples.first(inputs)
    ranking, judged = called_with(_ranked(subject, chosen, asked), **asked.said), None
    figures: dict[str, Any] = ranking.summary() | {"out": str(asked.table)} | _drawn(subject, chosen, asked)
    figures |= command_figure(ranking.provenance)
    text = _in_words(ranking, figures)
    if evaluate:
        proof = called_with(_proven(subject, examples, asked), **asked.said)
        judged = gate(proof.summary(), asked.limits.fail_if, asked.limits.undecided)
        took = {"seconds": ranking.seconds + proof.seconds, **command_figure(proof.provenance)}
        figures = proof.summary() | figures | {"report": str(asked.page)} | took
        text = f"{_reported(proof, asked.page, judged)}\n{text}"
    ranking.save(asked.table)
    next_step = suspects_command(ranking.provenance, effort(len(chosen)), str(asked.table))
    tell(figures, f"{text}\nNext: {next_step}" if next_step else text, json, judged)


@dataclass(frozen=True)
class _Asked:
    """What the user asked for, checked before anything is opened.

    Parameters
    ----------
    scores : list of str
        The first makes the order.
    settings, dropout, limits, trial
        Groups of options.
    table, page : Path
        Where order and report go.
    draws : bool
        Whether a score needs dropout.
    said : dict of str to str or True
        Settings of the command that the studies do not know: where it writes to, and which dropout it used.
    """

    scores: list[str]
    settings: RankSettings
    dropout: DropoutSettings
    limits: GateSettings
    trial: RankingTrial
    table: Path
    page: Path
    draws: bool
    said: dict[str, str | bool]

    @classmethod
    def of(cls, score: str, evaluate: bool, report: Path | None, out: Path | None, given: Given) -> "_Asked":
        """Refuse what would be ignored, and where nothing can be written: before the work, not after it."""
        from unnerve.core.naming.option_text import changed
        from unnerve.core.naming.specification import specifications
        from unnerve.core.storage.files import check_page
        from unnerve.studies.rank.comparison import named_method
        from unnerve.studies.rank.draws import check_draws
        from unnerve.studies.rank.ranking_proof import COUNTS, SHARES
        from unnerve.studies.rank.result import writable_table

        if not score.strip(" ,"):
            raise InvalidSetting("--score must name a score")
        scores, dropout, limits = specifications(score), given[DropoutSettings], given[GateSettings]
        limits.check(SHARES, COUNTS)
        wishes = given.named(RankingTrial)
        only_proof = {key: wishes[key] for key in wishes if key not in ("inputs", "seed")}
        _check_use(evaluate, scores, {**only_proof, "report": report, "fail-if": limits.fail_if or None})
        draws = check_draws(map(named_method, scores), dropout)
        table, page = writable_table(out or Path("ranking.csv")), report or Path("ranking.html")
        if evaluate:
            check_page(page)
        files = {name: str(path) for name, path in (("report", report), ("out", out)) if path is not None}
        # The model is given its dropout once, for the ranking and for the proof, which do not hear of it.
        said = {**files, **changed(dropout).options}
        return cls(scores, given[RankSettings], dropout, limits, RankingTrial(**wishes), table, page, draws, said)


def _check_use(evaluate: bool, asked: list[str], options: dict[str, object]) -> None:
    """Refuse what would be ignored without --evaluate."""
    ignored = [f"--{name}" for name, value in options.items() if value is not None]
    if not evaluate and ignored:
        raise InvalidSetting(f"{' and '.join(ignored)} {'needs' if len(ignored) == 1 else 'need'} --evaluate")
    if not evaluate and len(asked) > 1:
        raise InvalidSetting(f"one score makes an order, got {', '.join(asked)}; with --evaluate several are compared")


def _ranked(subject: "Classifier", chosen: "Examples", asked: _Asked) -> "Ranking":
    from unnerve.core.methods import evidence
    from unnerve.studies.rank.comparison import Order, named_method
    from unnerve.studies.rank.rank import rank as ranked

    method = named_method(asked.scores[0])
    comparing = method.criterion.profiled if isinstance(method, Order) else "traces" in evidence(method)
    # Reference data may be for another score of the proof: an order that compares with nothing would refuse it.
    settings = replace(asked.settings, reference=None) if len(asked.scores) > 1 and not comparing else asked.settings
    # And so may draws be.
    drawing = not isinstance(method, Order) and "draws" in evidence(method)
    ranking: Ranking = ranked(
        subject,
        chosen,
        asked.scores[0],
        settings=settings,
        dropout=DropoutSettings(draws=asked.dropout.draws if drawing else None),
        progress=shows_progress(),
    )
    return ranking


def _drawn(subject: "Classifier", examples: "Examples", asked: _Asked) -> dict[str, Any]:
    """Return how often was drawn, and the rate and the places of dropout; nothing without a score of dropout."""
    from unnerve.subjects.adapters.torch_module import TorchModule

    if not asked.draws:
        return {}
    assert isinstance(subject, TorchModule)
    places = subject.dropout_points(examples.batch(range(1)).inputs)
    return {"draws": asked.dropout.count, "dropout": {"rate": subject.dropout.rate, "places": list(places)}}


def _in_words(ranking: "Ranking", figures: dict[str, Any]) -> str:
    lines = [
        *ranking.accuracy.lines(),
        f"{len(ranking):,} inputs by {ranking.score}, most suspect first: {figures['out']}",
    ]
    if "dropout" in figures:
        rate, places = figures["dropout"]["rate"], figures["dropout"]["places"]
        strength = "the network's own dropout" if rate is None else f"dropout {rate:.3g}"
        where = ", ".join(place.replace("before:", "before ") if ":" in place else f"after {place}" for place in places)
        lines.append(f"{figures['draws']} draws under {strength}{f' {where}' if where else ''}")
    return "\n".join(lines)


def _proven(subject: "Classifier", examples: "Examples", asked: _Asked) -> "RankingProof":
    from unnerve.studies.rank.evaluate_ranking import BASELINES, evaluate_ranking

    # What was asked for comes first; the baselines follow, each once.
    names = list(dict.fromkeys([*asked.scores, *BASELINES]))
    proof: RankingProof = evaluate_ranking(
        subject,
        examples,
        names,
        settings=asked.settings,
        trial=asked.trial,
        dropout=DropoutSettings(draws=asked.dropout.draws),
        progress=shows_progress(),
    )
    return proof


def _reported(proof: "RankingProof", page: Path, judged: "Gate | None") -> str:
    from unnerve.reports.parts.page import write_html
    from unnerve.reports.ranking.html import ranking_html
    from unnerve.reports.ranking.text import ranking_text

    write_html(page, ranking_html(proof, gate=judged))
    return ranking_text(proof, page)
