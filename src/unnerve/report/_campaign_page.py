"""What a campaign's report says, as plain values: no HTML, no plotting, no clock."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from unnerve.campaign.plan import shards
from unnerve.report._campaign_cards import campaign_cards
from unnerve.report._campaign_command import campaign_command, coverage_command, wider_command
from unnerve.report._campaign_coverage import CoveragePart, coverage_parts
from unnerve.report._campaign_curves import Curve, curves
from unnerve.report._campaign_evidence import Evidence
from unnerve.report._campaign_gallery import Gallery, gallery
from unnerve.report._campaign_matrix import Matrix, matrix
from unnerve.report._campaign_regions import region_text
from unnerve.report._campaign_sample import sample, sample_note
from unnerve.report._campaign_tables import class_table, difference_table, failed_table, method_table
from unnerve.report._campaign_terms import budget_words, campaign_steps, campaign_terms, oracle_words
from unnerve.report._campaign_verdict import doubts, verdicts
from unnerve.report._cards import Card
from unnerve.report._names import printable, short
from unnerve.report._numbers import count
from unnerve.report._tables import Table
from unnerve.report._thumbnails import pictured
from unnerve.report._verdict import Phrase
from unnerve.studies.campaign import Campaign

__all__ = ["CampaignPage", "Folder", "campaign_page"]

_FILES = 100


@dataclass(frozen=True)
class Folder:
    """Where a campaign lies and what decided it.

    Parameters
    ----------
    path : str
    link : str or None
        Address of the folder, seen from the page; None if it is not known.
    files : tuple of str
        Of its finished shards, at most a hundred, beneath the path.
    left_out : int
        Further ones.
    snippet : str
        Python that reads all findings.
    plan : str
        As JSON.
    facts : tuple of (name, value)
        Hashes and versions.
    """

    path: str
    link: str | None
    files: tuple[str, ...]
    left_out: int
    snippet: str
    plan: str
    facts: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CampaignPage:
    """All that the page of a campaign shows, in its order; text is printable but not escaped.

    Parameters
    ----------
    kind, subject, noun : str
        "a hunt"; "zoo:lenet5 on mnist5k"; what the inputs are.
    verdicts, doubts : the first sentences, and how sure they are
    facts : tuple of (name, value)
    command, command_note : str
        The command line, and where it comes from.
    cards : tuple of Card
    classes, short_classes, sides : tuple of str
        Names of classes, in full and cut, and of methods, by their places.
    matrix : Matrix or None
        None if nothing was found.
    gallery : Gallery
    gallery_note : str
    curves : tuple of Curve
    tables, detail_tables : tuple of Table
        Methods and their differences; classes and failed seeds.
    coverages : tuple of CoveragePart
        Empty if coverage was not measured.
    coverage_command : str
        The command that measures it.
    steps, terms : the section on how this was made
    folders : tuple of Folder
    stronger : str
        The command that would fill empty sections.
    date : str
    """

    kind: str
    subject: str
    noun: str
    verdicts: tuple[tuple[Phrase, ...], ...]
    doubts: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    command: str
    command_note: str
    cards: tuple[Card, ...]
    classes: tuple[str, ...]
    short_classes: tuple[str, ...]
    sides: tuple[str, ...]
    matrix: Matrix | None
    gallery: Gallery
    gallery_note: str
    curves: tuple[Curve, ...]
    tables: tuple[Table, ...]
    detail_tables: tuple[Table, ...]
    coverages: tuple[CoveragePart, ...]
    coverage_command: str
    steps: tuple[str, ...]
    terms: tuple[tuple[str, str, str], ...]
    folders: tuple[Folder, ...]
    stronger: str
    date: str


def campaign_page(evidence: Evidence, command: str | None, date: str, place: Path | None = None) -> CampaignPage:
    """Turn what was found into the values of its page.

    Parameters
    ----------
    evidence : Evidence
    command : str or None
        The exact command line; made from the plan if it is not known.
    date : str
    place : Path or None
        Where the page will be written, for links to the parquet files.
    """
    first = evidence.campaigns[0]
    shown = gallery(evidence, sample(evidence))
    return CampaignPage(
        kind=_kind(evidence),
        subject=_subject(evidence),
        noun=evidence.noun,
        verdicts=verdicts(evidence),
        doubts=doubts(evidence),
        facts=_facts(evidence, date),
        command=printable(command) if command else "\n".join(campaign_command(one) for one in evidence.campaigns),
        command_note="" if command else "From the plan; weights, normalisation, neurons and device are no part of it.",
        cards=campaign_cards(evidence),
        classes=tuple(short(name, 200) for name in evidence.classes),
        short_classes=tuple(short(name, 18) for name in evidence.classes),
        sides=tuple(short(printable(side.label), 80) for side in evidence.sides),
        matrix=matrix(evidence),
        gallery=shown,
        gallery_note=_gallery_note(evidence, shown),
        curves=curves(evidence) if len(evidence.found) else (),
        tables=tuple(table for table in (method_table(evidence), difference_table(evidence)) if table),
        detail_tables=tuple(table for table in (class_table(evidence), failed_table(evidence)) if table),
        coverages=coverage_parts(evidence),
        coverage_command=coverage_command(first),
        steps=campaign_steps(evidence),
        terms=campaign_terms(evidence),
        folders=tuple(_folder(one, place) for one in evidence.campaigns),
        stronger=wider_command(first),
        date=date,
    )


def _kind(evidence: Evidence) -> str:
    if len(evidence.campaigns) > 1:
        return f"{len(evidence.campaigns)} campaigns side by side"
    return "an arena" if len(evidence.sides) > 1 else "a hunt"


def _subject(evidence: Evidence) -> str:
    named = dict.fromkeys(
        f"{short(printable(str(one.plan.model['name'])), 80)} on {short(printable(str(one.plan.data['name'])), 80)}"
        for one in evidence.campaigns
    )
    return "; ".join(named)


def _facts(evidence: Evidence, date: str) -> tuple[tuple[str, str], ...]:
    first = evidence.campaigns[0]
    plan = first.plan
    looked_at = plan.data.get("looked_at")
    looked = f" ({count(int(looked_at))} looked at)" if looked_at is not None else ""
    shared = (
        ("Seeds", f"{count(plan.seeds, evidence.noun)} of {short(printable(str(plan.data['name'])), 80)}{looked}"),
        ("Region", printable(region_text(plan.region))),
        ("An error", oracle_words(first)),
        ("Budget", budget_words(first)),
        ("Seed", str(plan.seed)),
    )
    of_first = shared if len(evidence.campaigns) == 1 else tuple((f"{name} (first)", value) for name, value in shared)
    return (*of_first, ("Report made", date), ("Versions", _versions(first)))


def _versions(campaign: Campaign) -> str:
    known = campaign.header["versions"]
    return ", ".join(f"{printable(str(name))} {printable(str(version))}" for name, version in known.items()) or "-"


def _gallery_note(evidence: Evidence, shown: Gallery) -> str:
    if not len(evidence.found):
        return ""
    note = sample_note(evidence, len(shown.findings))
    if pictured(evidence.shape):
        return f"{note} Change: grey is none; the factor of magnification stands beside it."
    shape = " x ".join(map(str, evidence.shape)) or "one number"
    return f"{note} These inputs are not grey or RGB images (shape: {shape}), so there are no pictures."


def _folder(campaign: Campaign, place: Path | None) -> Folder:
    plan = campaign.plan
    done = [f"shards/{shard.name}.parquet" for shard in campaign.store.finished(shards(plan))]
    return Folder(
        path=printable(campaign.store.path),
        link=_link(campaign, place),
        files=tuple(done[:_FILES]),
        left_out=len(done) - len(done[:_FILES]),
        snippet=f"pandas.read_parquet({printable(f'{campaign.store.path}/shards')!r})",
        plan=json.dumps(json.loads(json.dumps(plan.to_json()), parse_constant=str), indent=1),
        facts=(
            ("Model (hash)", printable(str(plan.model["hash"]))),
            ("Seeds, inputs and labels (hash)", printable(str(plan.data["hash"]))),
            ("Versions", _versions(campaign)),
        ),
    )


def _link(campaign: Campaign, place: Path | None) -> str | None:
    """Return the way from the page to the folder as an address; none to what is not on the same disk."""
    if place is None or not campaign.store.is_local:
        return None
    try:
        way = os.path.relpath(campaign.store.address, place.resolve().parent)
    except ValueError:
        return None
    return quote(way.replace(os.sep, "/"), errors="replace")
