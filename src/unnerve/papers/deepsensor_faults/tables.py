"""The tables of the DeepSensor papers on faulty training and repair, beside the printed figures."""

from collections.abc import Iterator, Sequence

import numpy as np

from unnerve.papers.deepsensor_faults.changes import ENOUGH, change, like_networks, too_few
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted
from unnerve.papers.deepsensor_faults.experiments.overlapped import Overlapped
from unnerve.papers.deepsensor_faults.experiments.repaired import Repaired
from unnerve.papers.deepsensor_faults.experiments.started import Started
from unnerve.papers.deepsensor_faults.experiments.swept import Swept
from unnerve.papers.deepsensor_faults.parts import Results
from unnerve.studies.intervals.count_mean import BoundedCounts, count_mean
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested
from unnerve.studies.reproduction import Table

__all__ = ["alike", "percent", "share", "tables_of"]

# Tables 4 and 5 of the second paper (III and IV of the first, the same figures): errors of 1,000 test inputs.
_METHODS = ("DeepXplore", "DLFuzz", "DeepHunter", "DeepSensor")
_PRINTED = {
    "lenet5": {
        "polluted 10%": (74, 204, 192, 757),
        "polluted 20%": (79, 164, 181, 723),
        "polluted 30%": (72, 172, 185, 784),
        "underfitted": (880, 814, 891, 981),
        "sound": (894, 845, 906, 937),
        "overfitted": (837, 826, 898, 979),
    },
    "vgg16:width=0.25": {
        "polluted 10%": (64, 91, 101, 590),
        "polluted 20%": (60, 127, 92, 562),
        "polluted 30%": (62, 121, 147, 599),
        "underfitted": (813, 790, 853, 949),
        "sound": (831, 791, 858, 901),
        "overfitted": (820, 808, 829, 958),
    },
}


def tables_of(results: Results) -> Iterator[Table]:
    """Yield every table that has rows."""
    polluted = [one for one in results.hunted if one.plan.polluted_class is not None]
    others = [one for one in results.hunted if one.plan.polluted_class is None]
    title = "share of the seeds, in percent, that become the polluted class [printed: of 1,000 inputs]"
    made = [
        _hunted_table(f"Table 4 / III: {title}", polluted),
        _hunted_table("Table 5 / IV: share of the seeds, in percent, that are broken [printed: of 1,000]", others),
        _kinds_table(others),
        _repair_table(results.repaired),
        _swept_table(results.swept),
        _started_table(results.started),
        _overlap_table(results.overlap),
    ]
    yield from (table for table in made if table.rows)


def alike(results: Sequence[Hunted]) -> dict[tuple[str, str, str], list[Hunted]]:
    """Return results by network, training and region, of all training seeds."""
    found: dict[tuple[str, str, str], list[Hunted]] = {}
    for one in results:
        found.setdefault((one.plan.setup.network, one.plan.kind, one.plan.setup.region), []).append(one)
    return found


def share(results: Sequence[Hunted], method: str) -> Interval:
    """Return the share of seeds that a method breaks, with its interval over networks and seeds."""
    found = nested([one.rows[method].share() for one in results], 0, 1)
    assert found is not None
    return found


def _hunted_table(title: str, results: Sequence[Hunted]) -> Table:
    groups, rows = alike(results), []
    methods = tuple(results[0].rows) if results else ()
    for (network, kind, region), some in groups.items():
        printed = _PRINTED.get(network, {}).get(kind)
        known = dict(zip(_METHODS, printed, strict=True)) if printed else {}
        known |= dict.fromkeys(("sensitive", "excitable"), known["DeepSensor"]) if known else {}
        accuracy = float(np.mean([one.accuracy for one in some]))
        cells = [
            percent(share(some, name)) + (f" [{known[name] / 10:.0f}]" if name in known else "") for name in methods
        ]
        rows.append((f"{network}, {kind}, {region}", str(len(some)), f"{100 * accuracy:.1f}", *cells))
    return Table(title, ("network, training, region", "networks", "accuracy", *methods), tuple(rows))


def _kinds_table(results: Sequence[Hunted]) -> Table:
    sound = [one for one in results if one.plan.kind == "sound"]
    rows = []
    for (network, _, region), some in alike(sound).items():
        for method in some[0].rows:
            found = nested([count_mean(BoundedCounts(np.array(one.rows[method].kinds), 9)) for one in some], 0, 9)
            assert found is not None
            queries = float(np.mean([one.rows[method].queries for one in some]))
            around = f"{found.mean:.2f} ({found.low:.2f} to {found.high:.2f})"
            rows.append((f"{network}, {region}, {method}", percent(share(some, method)), around, f"{queries:.0f}"))
    columns = ("network, region, method", "broken, %", "categories per seed", "queries per seed")
    return Table("Sound networks: seeds broken and categories of errors (as in Table 3 / II)", columns, tuple(rows))


def _repair_table(results: Sequence[Repaired]) -> Table:
    rows = []
    groups = like_networks(results)
    first = next(iter(results[0].repairs.values())) if results else None
    figures = tuple(first.figures) if first else ()
    for network, some in groups.items():
        for repair in dict.fromkeys(name for one in some for name in one.repairs):
            own = [one.repairs[repair] for one in some if repair in one.repairs]
            cells = [_moved(some, repair, figure) for figure in figures]
            findings = ", ".join(str(one.findings) for one in own)
            rows.append((f"{network}, {repair}", findings, *cells))
    counts = ", ".join(f"{network} on {some[0].plan.clever_inputs} inputs" for network, some in groups.items())
    title = (
        "Fig. 4 to 6: before and after retraining on findings (95 % interval of the change, over networks and inputs); "
        f"clean accuracy, CLEVER ({counts}; of fewer than {ENOUGH} it has no interval), success of attacks in percent, "
        "near: in the smaller region"
    )
    return Table(title, ("network, findings of", "findings", *figures), tuple(rows))


_ENDS = ("before", "after")


def _moved(some: Sequence[Repaired], repair: str, figure: str) -> str:
    own = [one.repairs[repair].figures[figure] for one in some if repair in one.repairs]
    before, after = (float(np.mean([getattr(one, end).mean for one in own])) for end in _ENDS)
    unit, digits = (1, 3) if figure == "clever" else (100, 0)
    moved = change(some, repair, figure)
    if moved is None:
        around = "too few inputs to tell" if too_few(some[0].plan, figure) else "-"
    else:
        around = f"{unit * moved.low:+.{digits}f} to {unit * moved.high:+.{digits}f}"
    return f"{unit * before:.{digits}f} to {unit * after:.{digits}f} ({around})"


def _swept_table(results: Sequence[Swept]) -> Table:
    rows = [
        (
            f"{one.plan.setup.network}, {one.plan.kind}, {one.plan.setup.region}",
            f"{setting}, {kind}",
            ", ".join(f"{value}: {percent(hits.share())}" for value, hits in by_value.items()),
        )
        for one in results
        for setting, by_kind in one.rows.items()
        for kind, by_value in by_kind.items()
    ]
    title = (
        "Fig. 10 and 11 / 5 and 6: share of the seeds, in percent, by lambda (threshold), start and epsilon (enough)"
    )
    return Table(title, ("network, training, region", "setting, neurons", "by value"), tuple(rows))


def _started_table(results: Sequence[Started]) -> Table:
    rows = []
    for one in results:
        criteria = next(iter(one.gains.values()))
        for criterion in criteria:
            means = (f"{np.mean(gains[criterion]):.4f}" for gains in one.gains.values())
            rows.append((f"{one.plan.setup.network}, {criterion}", *means))
    columns = ("network, criterion", *(results[0].gains if results else ()))
    return Table("Fig. 6, second row: coverage gained by neurons and start (L2 <= 1)", columns, tuple(rows))


def _overlap_table(results: Sequence[Overlapped]) -> Table:
    rows = [
        (
            one.plan.setup.network,
            *(f"{value.mean:.1f} ({value.low:.1f} to {value.high:.1f})" for value in one.spreads().values()),
            f"{one.found.chance:.2f}",
        )
        for one in results
    ]
    columns = ("network", *(results[0].spreads() if results else ()), "by chance")
    return Table("Fig. 7: of the ten most excitable neurons, shared by DeepSensor and", columns, tuple(rows))


def percent(value: Interval) -> str:
    """Return a share in per cent, with its interval."""
    return f"{100 * value.mean:.0f} ({100 * value.low:.0f} to {100 * value.high:.0f})"
