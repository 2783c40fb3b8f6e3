"""What findings add to the coverage of their seeds: the values of a campaign's section on it."""

from dataclasses import dataclass

from unnerve.reports.campaign.command import coverage_command
from unnerve.reports.campaign.compared_methods import ComparedMethod
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.parts.criteria import stored_criterion_words
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, significant
from unnerve.reports.parts.tables import Cell, Table
from unnerve.studies.campaign.coverage_gains import CoverageGains, Gain

__all__ = ["CoverageBars", "CoveragePart", "coverage_parts", "gain_text"]

# As many methods as a chart has colours: the seeds alone are drawn in a grey of their own.
_BARS = 6


@dataclass(frozen=True)
class CoverageBars:
    """What a chart of coverage shows.

    Parameters
    ----------
    criteria : tuple of str
        Those whose coverage is a share.
    shares : tuple of (str, tuple of float)
        Of the seeds alone, then of the seeds with the findings of each method.
    """

    criteria: tuple[str, ...]
    shares: tuple[tuple[str, tuple[float, ...]], ...]


@dataclass(frozen=True)
class CoveragePart:
    """One campaign's part of the section.

    Parameters
    ----------
    note : str
        What was counted, and against what.
    table : Table
    bars : CoverageBars or None
        None if no criterion is a share.
    command : str or None
        What would measure it again, if the campaign has gone on since.
    """

    note: str
    table: Table
    bars: CoverageBars | None
    command: str | None


def coverage_parts(evidence: Evidence) -> tuple[CoveragePart, ...]:
    """Return what was measured, campaign by campaign; nothing of those whose coverage was not."""
    parts = []
    for number, campaign in enumerate(evidence.campaigns):
        gains, mine = campaign.coverage, [method for method in evidence.methods if method.campaign == number]
        if gains is not None:
            where = f" in {display_name(campaign.store.path, 60)}" if len(evidence.campaigns) > 1 else ""
            # Measured before the campaign was resumed, the gains lack what was found since.
            fresh = all(gains.findings.get(method.tally.method) == method.counts.errors for method in mine)
            again = None if fresh else coverage_command(campaign)
            parts.append(CoveragePart(_note(gains), _table(gains, mine, where), _bars(gains, mine), again))
    return tuple(parts)


def gain_text(gain: Gain, method: str) -> str:
    """Write what a method adds: ``+1.2`` percentage points, or ``+12`` of what has no total."""
    if method not in gain.together:
        return "-"
    added = gain.gained(method)
    return f"+{count(int(added)) if gain.total is None else significant(100 * added)}"


def _note(gains: CoverageGains) -> str:
    ranges = (
        "no ranges of neurons from training data"
        if gains.profile_inputs is None
        else f"ranges of the neurons from {count(gains.profile_inputs)} training inputs"
    )
    chosen = display_name(gains.chosen_by, 60)
    return f"{count(gains.neurons, 'neurons')} ({chosen}), {count(gains.seeds, 'seeds')}; {ranges}."


def _table(gains: CoverageGains, methods: list[ComparedMethod], where: str) -> Table:
    columns = (
        ("criterion", ""),
        ("seeds alone", "coverage"),
        *((f"+ {display_name(method.label, 40)}", _findings(gains, method.tally.method)) for method in methods),
    )
    rows = tuple(_row(key, gain, [method.tally.method for method in methods]) for key, gain in gains.criteria.items())
    return Table(f"What the findings add to the coverage of the seeds{where}", columns, rows)


def _findings(gains: CoverageGains, method: str) -> str:
    return f"{count(gains.findings.get(method, 0), 'findings')}, percentage points"


def _row(key: str, gain: Gain, methods: list[str]) -> tuple[Cell, ...]:
    most = max((gain.together[method] for method in methods if method in gain.together), default=0)
    shown = display_name(key, 40)
    return (
        Cell(shown, stored_criterion_words(str(gain.settings.get("name"))).counted, shown),
        Cell(_coverage(gain), key=gain.value()),
        *(_added(gain, method, most) for method in methods),
    )


def _added(gain: Gain, method: str, most: int) -> Cell:
    if method not in gain.together:
        return Cell("-")
    largest = gain.together[method] == most > gain.alone
    return Cell(gain_text(gain, method), f"{_coverage(gain, method)} in all", gain.gained(method), largest)


def _coverage(gain: Gain, method: str | None = None) -> str:
    value = gain.value(method)
    return count(int(value)) if gain.total is None else percent(value)


def _bars(gains: CoverageGains, methods: list[ComparedMethod]) -> CoverageBars | None:
    shares = {key: gain for key, gain in gains.criteria.items() if gain.total is not None}
    if not shares:
        return None
    known = [method for method in methods if all(method.tally.method in gain.together for gain in shares.values())]
    return CoverageBars(
        tuple(display_name(key, 24) for key in shares),
        (
            ("seeds alone", tuple(gain.value() for gain in shares.values())),
            *(
                (
                    f"with {display_name(method.label, 40)}",
                    tuple(gain.value(method.tally.method) for gain in shares.values()),
                )
                for method in known[:_BARS]
            ),
        ),
    )
