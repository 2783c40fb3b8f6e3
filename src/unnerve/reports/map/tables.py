"""All figures of a map, as cells that can be shown and sorted."""

from unnerve.core.patterns import PATTERNS
from unnerve.reports.map.verdict import Areas
from unnerve.reports.parts.numbers import between, count, percent, significant
from unnerve.reports.parts.tables import Cell, Table, text_cell
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["auc_table", "correlation_table", "moment_table", "pattern_table", "stability_table"]

_WORDS = {"L": "low", "H": "high"}


def auc_table(found: UncertaintyMap, areas: Areas) -> Table:
    """Return how well each metric tells each group from benign inputs; marked where the interval excludes chance."""
    columns = (("attack", ""), ("found", "inputs"), *((short, "95 % interval below") for short in METRICS.values()))
    rows = []
    for name, group in found.groups.items():
        # Benign inputs against themselves are 0.5 by definition.
        if name == "benign":
            continue
        cells = [Cell("-")] * len(METRICS)
        if name in areas:
            cells = [
                Cell(significant(one.mean), between(*one.ci95), one.mean, not one.low <= 0.5 <= one.high)
                for one in (areas[name][metric] for metric in METRICS)
            ]
        rows.append((text_cell(name, 60), Cell(count(len(group)), key=len(group)), *cells))
    return Table("AUC against benign inputs", columns, tuple(rows))


def moment_table(found: UncertaintyMap) -> Table:
    """Return mean and variance of each metric in each group."""
    columns = (("group", ""), ("inputs", ""), *((short, "mean, variance below") for short in METRICS.values()))
    rows = []
    for name, group in found.groups.items():
        cells = [Cell("-")] * len(METRICS)
        if len(group):
            values = [group.figures[metric] for metric in METRICS]
            cells = [
                Cell(significant(float(one.mean())), significant(float(one.var())), float(one.mean())) for one in values
            ]
        rows.append((text_cell(name, 60), Cell(count(len(group)), key=len(group)), *cells))
    return Table("Means and variances", columns, tuple(rows))


def pattern_table(found: UncertaintyMap) -> Table:
    """Return how many inputs of each group have which pattern."""
    meanings = ((one, f"{_WORDS[one[0]]} PCS, {_WORDS[one[1]]} VRO") for one in PATTERNS)
    columns = (("group", ""), *meanings, ("between", "the thresholds"))
    rows = []
    for name, counts in found.patterns().items():
        total = sum(counts.values())
        cells = (Cell(count(part), percent(part / total) if total else "", part) for part in counts.values())
        rows.append((text_cell(name, 60), *cells))
    return Table("Patterns", columns, tuple(rows))


def correlation_table(found: UncertaintyMap) -> Table:
    """Return whether PCS and VRO go together."""
    columns = (("group", ""), ("correlation", "Pearson, of PCS and VRO"))
    rows = tuple(
        (text_cell("all together" if name == "all" else name, 60), Cell(significant(value), key=value))
        for name, value in found.correlation().items()
    )
    return Table("PCS and VRO", columns, rows)


def stability_table(found: UncertaintyMap) -> Table | None:
    """Return how far VRO after fewer draws lies from the final one; None if there were too few draws."""
    apart = found.stability()
    steps = sorted({step for one in apart.values() for step in one})
    if not steps:
        return None
    columns = (("group", ""), *((f"after {step}", "draws") for step in steps))
    rows = tuple(
        (text_cell(name, 60), *(Cell(significant(one.get(step)), key=one.get(step)) for step in steps))
        for name, one in apart.items()
    )
    return Table(f"Mean distance of VRO to that after {found.draws} draws", columns, rows)
