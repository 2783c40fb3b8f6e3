"""What a hunt does unless it is told otherwise: what counts as an error, and how long it goes on."""

from collections.abc import Sequence

from unnerve.core.data.examples import Examples
from unnerve.core.methods import Peered
from unnerve.core.pools import endless
from unnerve.studies.hunt.settings import HuntSettings

__all__ = ["usual_oracle", "usual_queries"]

_QUERIES = 1000
"""For each seed, as in an arena."""


def usual_oracle(hunters: Sequence[object], seeds: Examples, settings: HuntSettings) -> str:
    """Return the name of the oracle if none is asked for."""
    if settings.target is not None:
        return f"becomes:{settings.target}"
    # A method that compares with peers looks for answers that differ from theirs, whichever of them is right.
    if settings.peers and any(isinstance(hunter, Peered) and hunter.peered for hunter in hunters):
        return "disagreement"
    return "changed" if seeds.labels is None else "misclassified"


def usual_queries(hunters: Sequence[object]) -> int | None:
    """Return the most queries of a seed if no number is asked for; None if every hunter ends by itself."""
    return _QUERIES if any(map(endless, hunters)) else None
