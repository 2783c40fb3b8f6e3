"""What a map's report says, as plain values: no HTML, no plotting, no clock."""

from dataclasses import dataclass
from pathlib import Path

from unnerve.reports.map.cards import map_cards
from unnerve.reports.map.command import more_draws_command, resume_command, wider_command
from unnerve.reports.map.first import MapFirst, map_first
from unnerve.reports.map.glossary import map_glossary, map_steps
from unnerve.reports.map.inputs import Shown, input_shape, shown
from unnerve.reports.map.markers import Marker, markers
from unnerve.reports.map.sample import JITTER, jitter, sample
from unnerve.reports.map.tables import auc_table, correlation_table, moment_table, pattern_table, stability_table
from unnerve.reports.map.verdict import Areas, caveats, verdict
from unnerve.reports.parts.campaigns import subject
from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.commands import shown_command
from unnerve.reports.parts.facts import versions_text
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.links import relative_link
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.regions import region_words
from unnerve.reports.parts.tables import Table
from unnerve.reports.parts.thumbnails import input_noun, no_pictures, pictured
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["MapPage", "ShownGroup", "map_page"]


@dataclass(frozen=True)
class ShownGroup:
    """A group in the legend; ``patterns`` are counts of all its inputs."""

    name: str
    count: int
    marker: Marker
    patterns: dict[str, int]


@dataclass(frozen=True)
class MapPage:
    """All that the page of a map shows, in its order; text is printable but not escaped.

    Parameters
    ----------
    subject, noun, where : str
        "zoo:lenet5 on mnist5k"; what the inputs are; how many there are, and in which region.
    first : MapFirst or None
        The first screen; None if there is nothing to compare.
    verdict, caveats : the first sentence, and how sure it is
    facts : tuple of (name, value)
    command, command_note : str
        The command that repeats the run, or why there is none.
    cards : tuple of Card
    groups : tuple of ShownGroup
    shown : Shown
        The inputs of the plane and of the gallery.
    total : int
        Of all inputs.
    draws : int
    plane_note, gallery_note : str
    areas : dict
        AUC by group and metric.
    auc, correlation : Table
    tables : tuple of Table
    steps, glossary : the section on how this was made
    folder : str
        Of the campaign.
    table : str or None
        Address of ``map.parquet``, seen from the page; None if it was not written.
    reading : tuple of (what it gives, line)
    wider, more_draws, resume : str
        Commands that would fill empty sections.
    date : str
    """

    subject: str
    noun: str
    where: str
    first: MapFirst | None
    verdict: tuple[Phrase, ...]
    caveats: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    cards: tuple[Card, ...]
    groups: tuple[ShownGroup, ...]
    shown: Shown
    total: int
    draws: int
    plane_note: str
    gallery_note: str
    areas: Areas
    auc: Table
    correlation: Table
    tables: tuple[Table, ...]
    steps: tuple[str, ...]
    glossary: tuple[Term, ...]
    folder: str
    table: str | None
    reading: tuple[tuple[str, str], ...]
    wider: str
    more_draws: str
    resume: str
    date: str


def map_page(found: UncertaintyMap, command: str | None, date: str, place: Path | None = None) -> MapPage:
    """Turn a map into the values of its page.

    Parameters
    ----------
    found : UncertaintyMap
    command : str or None
        Another command to show than the one that repeats the run.
    date : str
    place : Path or None
        Where the page will be written, for the link to the table.
    """
    areas, shape = found.auc(), input_shape(found)
    what = input_noun(shape)
    there = shown(found, sample(found), shape)
    line, note = shown_command(command, found.provenance, found.campaign.store.path)
    table, file = _table(found, place)
    tables = (moment_table(found), pattern_table(found), stability_table(found))
    return MapPage(
        subject=subject(found.campaign),
        noun=what,
        where=_where(found, shape, what),
        first=map_first(found, what),
        verdict=verdict(found, areas, shape),
        caveats=caveats(found, areas, shape),
        facts=_facts(found, what, date),
        command=line,
        command_note=note,
        cards=map_cards(found, areas, what),
        groups=_groups(found),
        shown=there,
        total=sum(map(len, found.groups.values())),
        draws=found.draws,
        plane_note=_plane_note(found, there, what),
        gallery_note=_gallery_note(there, shape, what),
        areas=areas,
        auc=auc_table(found, areas),
        correlation=correlation_table(found),
        tables=tuple(one for one in tables if one),
        steps=map_steps(found, shape, what),
        glossary=map_glossary(found),
        folder=printable(found.campaign.store.path),
        table=table,
        reading=_reading(found, file),
        wider=wider_command(found),
        more_draws=more_draws_command(found),
        resume=resume_command(found),
        date=date,
    )


def _where(found: UncertaintyMap, shape: tuple[int, ...], what: str) -> str:
    attacked = sum(len(group) for group in found.attacks.values())
    sizes = f"{count(len(found.groups['benign']))} benign and {count(attacked)} attacked {what}"
    return f"{sizes} \u00b7 {region_words(found.campaign.plan.region, shape)}"


def _facts(found: UncertaintyMap, what: str, date: str) -> tuple[tuple[str, str], ...]:
    plan, limits = found.campaign.plan, found.thresholds
    return (
        ("Benign", f"{count(len(found.groups['benign']), what)} of {display_name(plan.data.name, 80)}"),
        ("Attacks", ", ".join(display_name(label, 60) for label in plan.labels)),
        ("Region", printable(plan.region.text)),
        ("Draws", count(found.draws)),
        ("Dropout", printable(found.dropout)),
        ("PCS: low, high", f"< {limits.low_confidence:g}, > {limits.high_confidence:g}"),
        ("VRO: low, high", f"< {limits.low_uncertainty:g}, > {limits.high_uncertainty:g}"),
        ("Random seed", str(plan.seed)),
        ("Report made", date),
        ("Versions", versions_text(found.campaign.header["versions"])),
    )


def _groups(found: UncertaintyMap) -> tuple[ShownGroup, ...]:
    counts = found.patterns()
    return tuple(
        ShownGroup(display_name(name, 60), len(group), marker, counts[name])
        for (name, group), marker in zip(found.groups.items(), markers(found.groups), strict=True)
    )


def _plane_note(found: UncertaintyMap, there: Shown, what: str) -> str:
    total = sum(map(len, found.groups.values()))
    if len(there.inputs) == total:
        which = f"One dot for each of the {count(total)} {what}."
    else:
        # By seed, not by input: a benign input is shown together with what the attacks made of it.
        seeds = len({one.seed for one in there.inputs})
        which = (
            f"A sample of {count(len(there.inputs))} of the {count(total)} {what}: those of {count(seeds, 'seeds')}, "
            "drawn at random. The bars at the edges and all figures count every one."
        )
    return (
        f"{which} Dots that would cover each other are spread: each is moved at random by at most {JITTER:g} in PCS "
        f"and {significant(jitter(found.draws))} in VRO, never over a border; the bars at the edges count without that."
    )


def _gallery_note(there: Shown, shape: tuple[int, ...], what: str) -> str:
    if not pictured(shape):
        return no_pictures(shape, "unknown")
    if there.pictures < len(there.inputs):
        return f"There is room for {count(there.pictures)} pictures; the other {what} are shown by their ids."
    return "Every seed stands beside what the attacks made of it."


def _table(found: UncertaintyMap, place: Path | None) -> tuple[str | None, Path | None]:
    """Return the way from the page to the table, and where it is, if it was written."""
    file = found.table_path
    if place is None or not file.is_file():
        return None, None
    return relative_link(file.resolve(), place), file


def _reading(found: UncertaintyMap, file: Path | None) -> tuple[tuple[str, str], ...]:
    path = printable(found.campaign.store.path)
    lines = [("Every finding with its original and its change:", f"unnerve report {path}")]
    if file is not None:
        lines.insert(
            0, ("Every input with all its figures, with pandas:", f"pandas.read_parquet({printable(str(file))!r})")
        )
    return tuple(lines)
