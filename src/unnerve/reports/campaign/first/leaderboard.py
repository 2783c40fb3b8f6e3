"""Methods side by side: a row each with bars, and brackets around those that no test tells apart."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from unnerve.reports.campaign.compared_methods import ComparedMethod
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import between, count, percent_between, significant

__all__ = ["Bar", "Standing", "apart", "brackets", "leaderboard"]


@dataclass(frozen=True)
class Bar:
    """A figure as a bar with its interval.

    Parameters
    ----------
    figure, interval : str
    share, low, high : float
        Where the bar and its whiskers end, in per cent of its room: all inputs, or the largest end of a whisker.
    bracket : str
        ``first``, ``middle`` or ``last`` of methods that tie, ``""`` if it stands alone.
    tied : str
        With which it does: the first of the bracket, or, of that one, all others.
    """

    figure: str
    interval: str
    share: float
    low: float
    high: float
    bracket: str = ""
    tied: str = ""


@dataclass(frozen=True)
class Standing:
    """One method.

    Parameters
    ----------
    method : int
        Its place in the page's list of methods.
    label : str
    wins : bool
        Whether the headline names it as the winner.
    broken, kinds : Bar
    queries, each : str
        Spent in all, and per seed.
    """

    method: int
    label: str
    wins: bool
    broken: Bar
    kinds: Bar
    queries: str
    each: str


def leaderboard(evidence: Evidence, winner: str) -> tuple[Standing, ...]:
    """Return the methods that hunted anything, those that broke more seeds first."""
    methods = [method for method in evidence.methods if method.intervals]
    seeds = [brackets(evidence, methods, "seeds_broken"), brackets(evidence, methods, "error_categories")]
    # Of all kinds that are possible a hunt may find a few per cent, in bars too short to be compared.
    most = max((_kind_ends(method)[1] for method in methods), default=0) or 1
    return tuple(
        Standing(
            method=evidence.methods.index(method),
            label=display_name(method.label, 60),
            wins=method.label == winner,
            broken=replace(_broken(method), bracket=seeds[0][place], tied=_tied(methods, seeds[0], place)),
            kinds=replace(_kinds(method, most), bracket=seeds[1][place], tied=_tied(methods, seeds[1], place)),
            queries=count(method.counts.queries),
            each=f"{significant(method.counts.queries / max(1, method.counts.inputs))} each",
        )
        for place, method in enumerate(methods)
    )


def apart(evidence: Evidence, first: str, second: str, figure: str) -> bool:
    """Say whether two methods differ by more than chance: the paired 95 % interval leaves zero out."""
    for one in evidence.differences:
        if {one.better, one.other} == {first, second}:
            interval = getattr(one, figure)
            return not interval.low <= 0 <= interval.high
    return False


def brackets(evidence: Evidence, methods: Sequence[ComparedMethod], figure: str) -> list[str]:
    """Return where each method stands in its bracket.

    Rows that follow each other share a bracket as long as none of them differs from its first: "not told apart" does
    not carry over from one pair to the next, so a bracket must say what it is measured from.
    """
    places = [""] * len(methods)
    start = 0
    for place in range(1, len(methods) + 1):
        if place < len(methods) and not apart(evidence, methods[start].label, methods[place].label, figure):
            continue
        if place - start > 1:
            places[start:place] = ["first", *["middle"] * (place - start - 2), "last"]
        start = place
    return places


def _tied(methods: Sequence[ComparedMethod], places: Sequence[str], place: int) -> str:
    """Return which methods one ties with, by the places of all in their brackets."""
    if not places[place]:
        return ""
    start = max(one for one in range(place + 1) if places[one] == "first")
    if start < place:
        return display_name(methods[start].label, 40)
    end = places.index("last", start)
    return display_name(", ".join(one.label for one in methods[start + 1 : end + 1]), 80)


def _broken(method: ComparedMethod) -> Bar:
    interval = method.intervals["seeds_broken"]
    low, high = interval.ci95
    figure = f"{count(method.counts.seeds_broken)} of {count(method.counts.inputs)}"
    return Bar(figure, percent_between(low, high), 100 * interval.mean, 100 * low, 100 * high)


def _kinds(method: ComparedMethod, most: float) -> Bar:
    found, (low, high) = method.counts.error_categories, _kind_ends(method)
    share, start, end = (100 * value / most for value in (found, low, high))
    return Bar(count(found), between(low, high), share, start, end)


def _kind_ends(method: ComparedMethod) -> tuple[float, float]:
    """Return the 95 % interval of a method's kinds of errors, summed over its inputs."""
    low, high = method.intervals["error_categories"].ci95
    return low * method.counts.inputs, high * method.counts.inputs
