"""What was found by the time so much was spent."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.curves import curves
from unnerve.reports.campaign.curves_chart import log_ticks, query_curves_chart
from unnerve.reports.campaign.evidence import evidence


def test_curves_rise_as_errors_are_found(tmp_path: Path) -> None:
    random, pgd = curves(evidence([Hunted().campaign(tmp_path / "a")]))
    assert (random.label, pgd.label) == ("random", "pgd")
    at = dict(zip(random.queries, random.means["seeds_broken"], strict=True))
    assert [at[2], at[3], at[20]] == pytest.approx([0, 10 / 12, 10 / 12])
    errors = dict(zip(random.queries, random.means["errors"], strict=True))
    assert errors[20] == pytest.approx(40 / 12)
    assert errors[6] == pytest.approx(20 / 12)
    # 1.5 seconds for 240 queries.
    assert random.seconds[-1] == pytest.approx(20 * 1.5 / 240)
    assert all(low <= high for low, high in zip(random.low["errors"], random.high["errors"], strict=True))


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(1, 30, [1, 2, 5, 10, 20]), (0.5, 999, [1, 3, 10, 30, 100, 300]), (1, 1e6, [10.0**power for power in range(7)])],
)
def test_ticks_of_a_logarithmic_axis_are_whole_numbers(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high) == ticks


def test_a_chart_names_its_ticks_in_full(tmp_path: Path) -> None:
    chart = query_curves_chart(curves(evidence([Hunted().campaign(tmp_path / "a")])), "errors", "queries")
    assert chart["layout"]["xaxis"]["ticktext"] == ["1", "2", "5", "10", "20"]
