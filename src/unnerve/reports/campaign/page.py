"""What a campaign's report says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass
from pathlib import Path

from unnerve.reports.campaign.cards import campaign_cards
from unnerve.reports.campaign.command import (
    coverage_command,
    plane_command,
    python_lines,
    verify_command,
    wider_command,
)
from unnerve.reports.campaign.coverage import CoveragePart, coverage_parts
from unnerve.reports.campaign.curves import Curve, curves
from unnerve.reports.campaign.curves_chart import BANDED
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.answer import Answer, answer, exhibits
from unnerve.reports.campaign.first.closest_calls import ClosestCall, closest_calls
from unnerve.reports.campaign.first.leaderboard import Standing, leaderboard
from unnerve.reports.campaign.first.next_step import alike_step
from unnerve.reports.campaign.first.side_by_side import Row, side_by_side
from unnerve.reports.campaign.first.winner import Winner, winner
from unnerve.reports.campaign.folders import Folder, folder
from unnerve.reports.campaign.gallery import Gallery, ShownFinding, gallery
from unnerve.reports.campaign.glossary import budget_words, campaign_glossary, campaign_steps, seeds_words
from unnerve.reports.campaign.matrix import Matrix, matrix
from unnerve.reports.campaign.sample import sample, sample_note
from unnerve.reports.campaign.tables import class_table, difference_table, failed_table, method_table
from unnerve.reports.campaign.verdict import caveats, verdicts
from unnerve.reports.parts.campaigns import class_names, subject
from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.commands import NextStep, shown_command
from unnerve.reports.parts.facts import versions_text
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name, printable, short
from unnerve.reports.parts.oracles import oracle_words
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.tables import Table
from unnerve.reports.parts.thumbnails import no_pictures, pictured
from unnerve.studies.react.feature_plane import FeaturePlane
from unnerve.studies.react.stored_plane import Placed, stored_plane

__all__ = ["CampaignPage", "campaign_page"]

_SEEDS = 500
"""Seeds in the plane: more would only hide the findings, and take seconds to place."""


@dataclass(frozen=True)
class CampaignPage:
    """All that the page of a campaign shows, in its order; text is printable but not escaped.

    Parameters
    ----------
    kind, subject, noun : str
        "a hunt"; "zoo:lenet5 on mnist5k"; what the inputs are.
    answer : Answer or None
        What stands on the first screen; None if there is no single one.
    exhibits : tuple of ShownFinding
        Beside it; where nothing was found,
    closest : tuple of ClosestCall
        the seeds that came nearest to an error.
    winner : Winner or None
        Of an arena: stands on its first screen, with
    standings : tuple of Standing
        the methods side by side.
    rows : tuple of Row
        Of campaigns that are unlike, one each; none if they share an answer.
    alike : NextStep
        What would put them on a par.
    verdicts, caveats : the first sentences, and how sure they are
    facts : tuple of (name, value)
    command, command_note : str
        The command that repeats the run, or why there is none.
    cards : tuple of Card
    classes, short_classes, methods : tuple of str
        Names of classes, in full and cut, and of methods, by their places.
    matrix : Matrix or None
        None if nothing was found.
    gallery : Gallery
    gallery_note : str
    curves : tuple of Curve
    banded : int
        Of how many of them the bands are drawn.
    tables, detail_tables : tuple of Table
        Methods; classes and failed seeds.
    differences : Table or None
        Every two methods compared.
    coverages : tuple of CoveragePart
        Empty if coverage was not measured.
    coverage_command : str
        The command that measures it.
    steps, glossary : the section on how this was made
    folders : tuple of Folder
    stronger : str
        The command that would fill empty sections.
    plane : FeaturePlane or None
        Where seeds and the findings of the gallery lie in the last hidden layer; None if that was not stored.
    plane_command : str
        The command that stores it.
    verify : str
        The command that judges findings again; empty if no command opens the model.
    python : tuple of str
        Lines that show an input ``x`` to the model.
    date : str
    """

    kind: str
    subject: str
    noun: str
    answer: Answer | None
    exhibits: tuple[ShownFinding, ...]
    closest: tuple[ClosestCall, ...]
    winner: Winner | None
    standings: tuple[Standing, ...]
    rows: tuple[Row, ...]
    alike: NextStep
    verdicts: tuple[tuple[Phrase, ...], ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    cards: tuple[Card, ...]
    classes: tuple[str, ...]
    short_classes: tuple[str, ...]
    methods: tuple[str, ...]
    matrix: Matrix | None
    gallery: Gallery
    gallery_note: str
    curves: tuple[Curve, ...]
    banded: int
    tables: tuple[Table, ...]
    differences: Table | None
    detail_tables: tuple[Table, ...]
    coverages: tuple[CoveragePart, ...]
    coverage_command: str
    steps: tuple[str, ...]
    glossary: tuple[Term, ...]
    folders: tuple[Folder, ...]
    stronger: str
    plane: FeaturePlane | None
    plane_command: str
    verify: str
    python: tuple[str, ...]
    date: str


def campaign_page(evidence: Evidence, command: str | None, date: str, place: Path | None = None) -> CampaignPage:
    """Turn what was found into the values of its page.

    Parameters
    ----------
    evidence : Evidence
    command : str or None
        Another command to show than the one that repeats the run.
    date : str
    place : Path or None
        Where the page will be written, for links to the parquet files.
    """
    first = evidence.campaigns[0]
    shown = gallery(evidence, sample(evidence))
    line, note = _command(evidence, command)
    first_screen, best, rows = answer(evidence), winner(evidence), side_by_side(evidence)
    return CampaignPage(
        kind=_kind(evidence),
        subject="; ".join(dict.fromkeys(subject(one) for one in evidence.campaigns)),
        noun=evidence.noun,
        answer=first_screen,
        exhibits=exhibits(shown.findings),
        closest=closest_calls(evidence),
        winner=best if first_screen else None,
        standings=leaderboard(evidence, best.label) if best and first_screen else (),
        rows=rows,
        alike=alike_step(evidence) if rows else NextStep("", ""),
        verdicts=verdicts(evidence),
        caveats=caveats(evidence, intervals=not rows),
        facts=_facts(evidence, date),
        command=line,
        command_note=note,
        cards=campaign_cards(evidence),
        classes=tuple(short(name, 200) for name in evidence.classes),
        short_classes=tuple(short(name, 18) for name in evidence.classes),
        methods=tuple(display_name(method.label, 80) for method in evidence.methods),
        matrix=matrix(evidence),
        gallery=shown,
        gallery_note=_gallery_note(evidence, shown),
        curves=curves(evidence) if len(evidence.found) else (),
        banded=BANDED,
        tables=(method_table(evidence),),
        differences=difference_table(evidence),
        detail_tables=tuple(table for table in (class_table(evidence), failed_table(evidence)) if table),
        coverages=coverage_parts(evidence),
        coverage_command=coverage_command(first),
        steps=campaign_steps(evidence),
        glossary=campaign_glossary(evidence),
        folders=tuple(folder(one, place) for one in evidence.campaigns),
        stronger=wider_command(first),
        plane=_plane(evidence, shown),
        plane_command=plane_command(first) if len(evidence.campaigns) == 1 else "",
        verify=verify_command(first) if len(evidence.campaigns) == 1 else "",
        python=python_lines(first) if len(evidence.campaigns) == 1 else (),
        date=date,
    )


def _plane(evidence: Evidence, shown: Gallery) -> FeaturePlane | None:
    """Return where hunted seeds and the findings that are shown lie; several campaigns have several such planes."""
    if len(evidence.campaigns) > 1 or not shown.findings:
        return None
    classes = dict(zip(evidence.seeds, evidence.truths.tolist(), strict=True))
    # Without labels, the class that a seed was taken for is known of those that broke.
    known = {
        evidence.seeds[seed]: int(before)
        for seed, before in zip(evidence.found.seed, evidence.found.before, strict=True)
    }
    own = {name: truth if truth >= 0 else known.get((task, name), -1) for (task, name), truth in classes.items()}
    seeds = [Placed(name, truth, truth) for name, truth in own.items() if truth >= 0]
    methods = {
        method.label: tuple(Placed(one.id, one.before, one.after) for one in shown.findings if one.method == place)
        for place, method in enumerate(evidence.methods)
    }
    return stored_plane(
        evidence.campaigns[0], tuple(seeds[:_SEEDS]), {name: some for name, some in methods.items() if some}
    )


def _command(evidence: Evidence, given: str | None) -> tuple[str, str]:
    """Return the commands of all campaigns, one a line, and notes on those that have none."""
    shown = [shown_command(given, one.provenance, one.store.path) for one in evidence.campaigns[: 1 if given else None]]
    names = [f"{printable(one.store.path)}: " if len(shown) > 1 else "" for one in evidence.campaigns]
    notes = [f"{name}{note}" for name, (_, note) in zip(names, shown, strict=False) if note]
    return "\n".join(line for line, _ in shown if line), " ".join(notes)


def _kind(evidence: Evidence) -> str:
    if len(evidence.campaigns) > 1:
        return f"{len(evidence.campaigns)} campaigns side by side"
    return "an arena" if len(evidence.methods) > 1 else "a hunt"


def _facts(evidence: Evidence, date: str) -> tuple[tuple[str, str], ...]:
    first = evidence.campaigns[0]
    plan = first.plan
    shared = (
        ("Seeds", seeds_words(plan, evidence.noun, 80)),
        ("Region", printable(plan.region.text)),
        ("An error", oracle_words(first.plan.oracle, class_names(first))),
        ("Budget", budget_words(first)),
        ("Random seed", str(plan.seed)),
    )
    of_first = shared if len(evidence.campaigns) == 1 else tuple((f"{name} (first)", value) for name, value in shared)
    return (*of_first, ("Report made", date), ("Versions", versions_text(first.header["versions"])))


def _gallery_note(evidence: Evidence, shown: Gallery) -> str:
    if not len(evidence.found):
        return ""
    note = sample_note(evidence, len(shown.findings))
    if evidence.noun == "clips":
        return f"{note} Waveform above, spectrogram below, high frequencies at its top; a choice plays them."
    if pictured(evidence.shape):
        return f"{note} Change: dark is none, bright the amount that stands below it."
    return f"{note} {no_pictures(evidence.shape)}"
