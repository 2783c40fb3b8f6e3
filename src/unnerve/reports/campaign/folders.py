"""Where campaigns lie, what decided them, and how their findings are read."""

import json
from dataclasses import dataclass
from pathlib import Path

from unnerve.campaign.plan import shards
from unnerve.campaign.records import plan_to_json
from unnerve.reports.parts.facts import versions_text
from unnerve.reports.parts.links import relative_link
from unnerve.reports.parts.names import printable
from unnerve.studies.campaign.campaign import Campaign

__all__ = ["Folder", "folder"]

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


def folder(campaign: Campaign, place: Path | None) -> Folder:
    """Return what is said of a campaign's folder on a page at that place."""
    plan = campaign.plan
    done = [f"shards/{shard.name}.parquet" for shard in campaign.store.finished(shards(plan))]
    return Folder(
        path=printable(campaign.store.path),
        link=_link(campaign, place),
        files=tuple(done[:_FILES]),
        left_out=len(done) - len(done[:_FILES]),
        snippet=f"pandas.read_parquet({printable(f'{campaign.store.path}/shards')!r})",
        # Read back once, to write NaN and infinity as texts: whoever copies the plan expects JSON, which has neither.
        plan=json.dumps(json.loads(json.dumps(plan_to_json(plan)), parse_constant=str), indent=1),
        facts=(
            ("Model (hash)", printable(plan.model.hash)),
            *((f"{_file(name)} (SHA-256)", printable(digest)) for name, digest in plan.model.opening.files.items()),
            ("Seeds, inputs and labels (hash)", printable(plan.data.hash)),
            ("Versions", versions_text(campaign.header["versions"])),
        ),
    )


def _file(name: str) -> str:
    return "File of the model" if name == "source" else f"File of --{printable(name).replace('_', '-')}"


def _link(campaign: Campaign, place: Path | None) -> str | None:
    """Return the way from the page to the folder as an address; none to what is not on the same disk."""
    if place is None or not campaign.store.is_local:
        return None
    return relative_link(campaign.store.address, place)
