"""What a hunt over some seeds found, and what it did with each seed."""

from dataclasses import dataclass

from unnerve.campaign.counts import Counts
from unnerve.core.findings import Finding

__all__ = ["Outcome", "SeedRecord"]


@dataclass(frozen=True)
class SeedRecord:
    """What a hunt did with one seed.

    Parameters
    ----------
    id : str
    queries : int
        Spent on it, the clean pass included.
    picks, failing : int
        Inputs proposed, and those of them that were proven errors, repeated ones included (the papers' count).
    failed : str or None
        Why it could not be hunted.
    doubted : int
        Findings that were proven once, and did not fail every time they were run again; they are not kept.
    nearest : float or None
        The oracle's largest margin of what was proposed and is no error, in logits, if nothing was found; 0 would be
        the border.
    """

    id: str
    queries: int
    picks: int
    failing: int
    failed: str | None = None
    doubted: int = 0
    nearest: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What a shard found.

    Parameters
    ----------
    findings : tuple of (Finding, int)
        Distinct ones, each with the queries its seed had spent by then.
    seeds : tuple of SeedRecord
    """

    findings: tuple[tuple[Finding, int], ...]
    seeds: tuple[SeedRecord, ...]

    def __add__(self, other: "Outcome") -> "Outcome":
        return Outcome(self.findings + other.findings, self.seeds + other.seeds)

    def replaced(self, later: "Outcome") -> "Outcome":
        """Return this outcome with what a later run did with some of its seeds, in the same order of seeds."""
        anew = {seed.id: seed for seed in later.seeds}
        place = {seed.id: number for number, seed in enumerate(self.seeds)}
        kept = tuple(one for one in self.findings if one[0].seed_id not in anew)
        findings = sorted(kept + later.findings, key=lambda one: place[one[0].seed_id])
        return Outcome(tuple(findings), tuple(anew.get(seed.id, seed) for seed in self.seeds))

    def counts(self) -> Counts:
        """Count what was found."""
        categories = {(one.seed_id, one.after) for one, _ in self.findings}
        return Counts.of(self.seeds, len(self.findings), len(categories), len({name for name, _ in categories}))
