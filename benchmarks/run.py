"""`make bench`: one row per promise about speed or memory, measured now; fails if one is broken."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import coverage, ranking, report

Row = tuple[str, Callable[[], float], str, float]

ROWS: tuple[Row, ...] = (
    ("rank: throughput / bare forward pass (LeNet-5)", ranking.rank_ratio, ">=", 0.85),
    ("Eff: throughput / bare forward pass (LeNet-5)", ranking.eff_ratio, ">=", 0.7),
    ("rank 1,000,000 inputs from disk: peak GiB", ranking.million_gigabytes, "<=", 1.5),
    ("seven coverages: CPU time / bare forward (LeNet-5)", coverage.lenet5_cost, "<=", 1.6),
    ("seven coverages: CPU time / bare forward (ResNet-20)", coverage.resnet20_cost, "<=", 1.25),
    ("KMNC, 100 sections: speed / dnn-tip (LeNet-5)", coverage.kmnc_speed_up, ">=", 50),
    ("report of 100,000 findings: CPU seconds", report.report_seconds, "<=", 20),
    ("report of 100,000 findings: peak GiB", report.report_gigabytes, "<=", 1.5),
    ("unnerve --help: CPU seconds", ranking.help_seconds, "<=", 0.4),
)


def main() -> int:
    broken = 0
    print(f"{'what':52} {'measured':>9}   {'promised':>9}")
    for what, measure, sign, bound in ROWS:
        value = measure()
        holds = value >= bound if sign == ">=" else value <= bound
        broken += not holds
        print(f"{what:52} {value:9.2f}   {sign} {bound:<6} {'' if holds else 'BROKEN'}", flush=True)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
