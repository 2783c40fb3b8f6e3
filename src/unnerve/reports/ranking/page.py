"""What a ranking report says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass

from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.commands import shown_command
from unnerve.reports.parts.effs.eff import BINS, LEAST, EffSeries
from unnerve.reports.parts.facts import ReportFacts, versions_text
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import count
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Table
from unnerve.reports.parts.thumbnails import LIMIT, no_pictures, pictured
from unnerve.reports.ranking.cards import cards
from unnerve.reports.ranking.first import RankingFirst, ranking_first
from unnerve.reports.ranking.glossary import ranking_glossary, ranking_steps
from unnerve.reports.ranking.series import Bar, Found, bars, eff_series, found
from unnerve.reports.ranking.strip import POINTS, Shown, Strip, shown_inputs, strip_note, strips
from unnerve.reports.ranking.tables import cost_table, fit_table
from unnerve.reports.ranking.verdict import caveats, lead, nothing_found, noun, stronger_command, verdict
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["RankingPage", "ranking_page"]


@dataclass(frozen=True)
class RankingPage:
    """All that the page of a ranking proof shows, in its order.

    Parameters
    ----------
    model, data, noun : str
        Names fit to be shown, and what the inputs are ("images").
    total : int
        Candidates.
    first : RankingFirst or None
        The first screen; None if there is nothing to be found.
    verdict, caveats : the first sentence, and how sure it is
    facts : tuple of (name, value)
        How many candidates, tries, repeats; when; with which versions.
    report_facts : ReportFacts
    command, command_note : str
        The command that repeats the proof, or why there is none.
    cards : tuple of Card
    strips : dict of str to Strip
    strip_note : str
    inputs : dict of int to Shown
        By row: every input that a strip or a chart shows.
    effs : dict of str to EffSeries
        Empty if nothing was found.
    eff_note, bars_note : str
    bars : tuple of Bar
    found : Found or None
    tables : tuple of Table
    steps, glossary, hashes : the section on how this was made
    stronger : str
        The command that would fill an empty section.
    lead : str
        The score shown at first.
    """

    model: str
    data: str
    noun: str
    total: int
    first: RankingFirst | None
    verdict: tuple[Phrase, ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    report_facts: ReportFacts
    command: str
    command_note: str
    cards: tuple[Card, ...]
    strips: dict[str, Strip]
    strip_note: str
    inputs: dict[int, Shown]
    effs: dict[str, EffSeries]
    eff_note: str
    bars: tuple[Bar, ...]
    bars_note: str
    found: Found | None
    tables: tuple[Table, ...]
    steps: tuple[str, ...]
    glossary: tuple[Term, ...]
    hashes: tuple[tuple[str, str], ...]
    stronger: str
    lead: str


def ranking_page(proof: RankingProof, report_facts: ReportFacts) -> RankingPage:
    """Turn a proof into the values of its page.

    Parameters
    ----------
    proof : RankingProof
    report_facts : ReportFacts
        Its command is shown instead of the one that repeats the proof, if it has one.

    Returns
    -------
    RankingPage
        Text is printable but not escaped; numbers are rounded for reading; undefined ones are ``-``.
    """
    chosen = strips(proof)
    inputs = shown_inputs(proof, chosen)
    first = lead(proof).score
    vulnerable = bool((proof.eff > 0).any())
    command, note = shown_command(report_facts.command, proof.provenance)
    return RankingPage(
        model=printable(proof.model),
        data=printable(proof.data),
        noun=noun(proof),
        total=len(proof.candidates),
        first=ranking_first(proof, inputs),
        verdict=verdict(proof),
        caveats=caveats(proof),
        facts=_facts(proof, report_facts),
        report_facts=report_facts,
        command=command,
        command_note=note,
        cards=cards(proof),
        strips=chosen,
        strip_note=f"{strip_note(proof, chosen[first])} {_embedded(proof, inputs)}".strip(),
        inputs=inputs,
        effs={name: eff_series(proof, name, inputs) for name in proof.scores} if vulnerable else {},
        eff_note=_eff_note(proof),
        bars=() if nothing_found(proof) else bars(proof),
        bars_note=_bars_note(proof),
        found=found(proof),
        tables=(cost_table(proof), fit_table(proof)),
        steps=ranking_steps(proof),
        glossary=ranking_glossary(proof),
        hashes=(
            ("Candidates, inputs and labels (BLAKE2b)", proof.candidates.fingerprint),
            ("Random seed", str(proof.trial.seed)),
        ),
        stronger=stronger_command(proof),
        lead=first,
    )


def _facts(proof: RankingProof, report_facts: ReportFacts) -> tuple[tuple[str, str], ...]:
    trial = proof.trial
    return (
        ("Candidates", f"{count(len(proof.candidates), noun(proof))} of {printable(proof.data)}"),
        ("Tries", f"{trial.tries:,} per input"),
        ("Repeats", f"{trial.repeats:,}"),
        ("Change", printable(trial.perturbation)),
        ("Random seed", str(trial.seed)),
        ("Date", report_facts.date),
        ("Versions", versions_text(report_facts.versions)),
    )


def _embedded(proof: RankingProof, inputs: dict[int, Shown]) -> str:
    if not pictured(proof.candidates.shape):
        return no_pictures(proof.candidates.shape)
    embedded = sum(one.picture is not None for one in inputs.values())
    if embedded == len(proof.candidates):
        return ""
    return (
        f"For all orders together, {embedded:,} of {len(proof.candidates):,} pictures are embedded (at most {LIMIT})."
    )


def _eff_note(proof: RankingProof) -> str:
    total = len(proof.candidates)
    shown = (
        f"{POINTS:,} of the {total:,} {noun(proof)}, drawn at random" if total > POINTS else f"one of the {noun(proof)}"
    )
    points = f"Each point is {shown}" if total <= POINTS else f"The points are {shown}"
    means = f"; squares are means of {BINS} equal stretches" if total > BINS else ""
    means += " with 95 % intervals" if total >= BINS * LEAST else ""
    return f"{points}{means}. A good order starts high and falls."


def _bars_note(proof: RankingProof) -> str:
    censored, repeats = sum(run.censored for run in lead(proof).runs), proof.trial.repeats
    mean = "Mean of " + count(repeats, "runs")
    interval = " with its 95 % interval." if repeats > 1 else ", so without an interval."
    if not censored:
        return f"{mean}{interval} Every run met an error."
    lost = f"Hatched: {censored} of {repeats} met no error at all and count as all tries made"
    return f"{mean}{interval} {lost}, so the true mean is larger."
