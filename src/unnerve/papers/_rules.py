"""What decides on a paper's claim: its words, where they stand, and a rule that knows no figures."""

from collections.abc import Iterable
from dataclasses import dataclass

from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim, Verdict

__all__ = ["BEYOND", "COUNTED", "Rule", "above", "lead_text", "tallied"]

BEYOND = "beyond the papers"
"""The place of a statement that no paper made."""
COUNTED = "; networks too weak to bear a claim are shown, not counted"
"""The end of a rule that looks at trained networks."""


@dataclass(frozen=True)
class Rule:
    """A claim, and how it is decided.

    Parameters
    ----------
    claim : str
        In a sentence of ours.
    quote : str
        The paper's own words; empty beyond the papers.
    place : str
        Section, table or figure.
    rule : str
        When it is held, and when partly.
    """

    claim: str
    quote: str
    place: str
    rule: str

    def decided(self, verdict: Verdict, paper: str, ours: str, ci95: tuple[float, float] | None = None) -> Claim:
        """Return the claim with its figures and its verdict."""
        held = {"held": True, "not held": False}.get(verdict)
        return Claim(self.claim, paper, ours, ci95, held, verdict, self.rule, self.place, self.quote)


def above(interval: Interval | None, limit: float) -> bool | None:
    """Return whether a figure lies above a limit: None where its interval straddles it, or where there is no figure."""
    if interval is None or interval.low <= limit <= interval.high:
        return None
    return interval.low > limit


def tallied(outcomes: Iterable[bool | None], held: float = 1.0, partly: float = 0.5) -> Verdict:
    """Decide by the share of the cases that support a claim.

    Parameters
    ----------
    outcomes : iterable of bool or None
        Of each case; None where the data leave it open.
    held : float
        The share from which on the claim is held; 1 asks for every case.
    partly : float
        The share above which it is held partly.

    Returns
    -------
    Verdict
        The one that follows whichever way the open cases turn out; ``cannot be decided`` if there is none, or no case.
    """
    cases = list(outcomes)
    sure, possible = sum(one is True for one in cases), sum(one is not False for one in cases)
    # Open cases are turned both ways instead of being left out: leaving them out would let two sure ones of twenty
    # decide.
    least, most = (_of_share(count / max(1, len(cases)), held, partly) for count in (sure, possible))
    return least if cases and least == most else "cannot be decided"


def _of_share(share: float, held: float, partly: float) -> Verdict:
    if share >= held:
        return "held"
    return "partly" if share > partly else "not held"


def lead_text(name: str, lead: Interval | None) -> str:
    """Return by how much something is ahead, with its interval; a dash where nothing was measured."""
    return f"{name} -" if lead is None else f"{name} {lead.mean:+.2f} ({lead.low:+.2f} to {lead.high:+.2f})"
