"""Counting what tests that attack have tried, and how often it went wrong; told at the end of every run.

``pytest.mark.tried("hostile models")`` counts a test as one try; the fixture ``tries`` is for tests that make many.
"""

from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

__all__ = ["Tries", "pytest_runtest_makereport", "pytest_terminal_summary", "tries"]

KEY = "tried"
Report = Generator[None, pytest.TestReport, pytest.TestReport]


class Tries:
    """How often one test has tried something, and how often that failed."""

    def __init__(self) -> None:
        self.made = self.failed = 0


@pytest.fixture
def tries() -> Tries:
    """Return what a test counts its tries with; it must be marked ``tried`` with what it tries."""
    return Tries()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Report:
    """Let the report of a test that tries something carry how often: reports travel between processes."""
    report = yield
    mark = item.get_closest_marker("tried")
    if mark is None or call.when != "call" or report.skipped:
        return report
    own = getattr(item, "funcargs", {}).get("tries")
    # A test that failed before it had counted anything has failed all the same.
    made, failed = (own.made, own.failed) if own is not None and own.made else (1, 0)
    report.user_properties.append((KEY, [mark.args[0], made, max(failed, int(report.failed))]))
    return report


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what was tried, how often, and how much of it failed."""
    made: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for kind, tried, wrong in (one for key, one in getattr(report, "user_properties", ()) if key == KEY):
                made[kind] += tried
                failed[kind] += wrong
    if made:
        terminalreporter.section("tries and failures")
    for kind in sorted(made):
        terminalreporter.write_line(f"{kind}: {made[kind]:,} tried, {failed[kind]:,} failed")
