"""What the report of a map says before anybody scrolls: which attack looks benign, and how many of each do."""

from dataclasses import dataclass

from scipy.stats import fisher_exact

from unnerve.reports.map.command import defend_command
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent_between
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["LooksBenign", "MapFirst", "map_first"]

_LEVEL = 0.05


@dataclass(frozen=True)
class LooksBenign:
    """How many inputs of a group are sure and steady, as benign ones are.

    Parameters
    ----------
    name : str
    part, total : int
    low, high : float
        Ends of the 95 % interval, in per cent.
    tone : str
        ``benign``, ``hidden`` if no test tells the share from that of benign inputs, else ``seen``.
    """

    name: str
    part: int
    total: int
    low: float
    high: float
    tone: str

    @property
    def share(self) -> float:
        """In per cent."""
        return 100 * self.part / self.total if self.total else 0.0


@dataclass(frozen=True)
class MapFirst:
    """The first screen.

    Parameters
    ----------
    bad : bool
        Whether an attack goes unseen.
    headline, why : tuple of Phrase
    interval : str
        Of the headline's share; empty if it names none.
    rows : tuple of LooksBenign
        Of every group, in the order of the page's groups.
    command, reason : str
        What to do next; the command may be empty.
    """

    bad: bool
    headline: tuple[Phrase, ...]
    interval: str
    why: tuple[Phrase, ...]
    rows: tuple[LooksBenign, ...]
    command: str
    reason: str


def map_first(found: UncertaintyMap, noun: str) -> MapFirst | None:
    """Return the first screen; None if nothing was attacked successfully."""
    if not found.attacks or not len(found.groups["benign"]):
        return None
    rows = _rows(found)
    attacks = [row for row in rows if row.tone != "benign" and row.total]
    top, benign = max(attacks, key=lambda row: (row.share, row.total)), rows[0]
    # Without one such input, no difference only says that there were too few inputs to see one.
    bad = top.tone == "hidden" and top.part > 0
    figure = Phrase(f"{count(top.part)} of {count(top.total)} look benign", "figure")
    middle = Phrase(" is invisible: ") if bad else Phrase(": at most ")
    words = (
        f"The model is sure of them and stays sure under dropout, as with {count(benign.part)} of "
        f"{count(benign.total)} benign {noun}."
    )
    return MapFirst(
        bad=bad,
        headline=(*_named(top.name), middle, figure) if top.part else (Phrase(f"No attacked {noun} look benign"),),
        interval=f"95 %: {percent_between(*proportion(top.part, top.total).ci95)}" if top.part else "",
        why=(Phrase(words), Phrase(" A detector with these two thresholds would pass them." if bad else "")),
        rows=rows,
        command=defend_command(found),
        reason="confidence and dropout do not tell this attack from benign inputs; measure which defences do:"
        if bad
        else "measure which defences hold on what was found:",
    )


def _named(name: str) -> tuple[Phrase, ...]:
    """Return a group as the beginning of a sentence: of "pgd, strongest" the strongest pgd."""
    attack, comma, which = name.rpartition(", ")
    return (Phrase(f"The {which} "), Phrase(attack, "name")) if comma else (Phrase(name, "name"),)


def _rows(found: UncertaintyMap) -> tuple[LooksBenign, ...]:
    counts = {name: (one["HL"], sum(one.values())) for name, one in found.patterns().items()}
    benign = counts["benign"]
    return tuple(_row(name, *counts[name], benign) for name in found.groups)


def _row(name: str, part: int, total: int, benign: tuple[int, int]) -> LooksBenign:
    shown = display_name(name, 60)
    if not total:
        return LooksBenign(shown, 0, 0, 0.0, 0.0, "seen")
    low, high = (100 * end for end in proportion(part, total).ci95)
    tone = "benign" if name == "benign" else "seen" if _fewer(part, total, benign) else "hidden"
    return LooksBenign(shown, part, total, low, high, tone)


def _fewer(part: int, total: int, benign: tuple[int, int]) -> bool:
    """Say whether fewer of a group look benign than of the benign ones, by more than chance (Fisher's exact test)."""
    table = [[part, total - part], [benign[0], benign[1] - benign[0]]]
    # Exact, because groups of ten findings are usual and a normal approximation calls them different too easily.
    return bool(fisher_exact(table, alternative="less")[1] < _LEVEL)
