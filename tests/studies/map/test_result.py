from pathlib import Path

import numpy as np
import pytest

from unnerve.campaign.store import Store
from unnerve.core.errors import InvalidSetting
from unnerve.core.patterns import Thresholds
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.map.result import METRICS, Group, UncertaintyMap


def group(name: str, pcs: list[float], uncertainty: list[float], early: list[float] | None = None) -> Group:
    ids = tuple(f"{name}{place}" for place in range(len(pcs)))
    figures = {metric: np.array(uncertainty) for metric in METRICS} | {"pcs": np.array(pcs)}
    by_draws = {5: np.array(uncertainty if early is None else early)}
    return Group(name, ids, ids, figures, np.zeros(len(pcs), dtype=int), np.zeros(len(pcs), dtype=int), by_draws)


@pytest.fixture
def made(tmp_path: Path) -> UncertaintyMap:
    groups = [
        group("benign", [0.9, 0.8, 0.6, 0.1], [0.1, 0.2, 0.5, 0.3], early=[0.2, 0.2, 0.2, 0.2]),
        group("minimal", [0.05, 0.2, 0.85], [0.9, 0.7, 0.65]),
        group("none", [], []),
    ]
    campaign = Campaign(Store(str(tmp_path / "nowhere")))
    return UncertaintyMap(campaign, {one.name: one for one in groups}, Thresholds(), 50, "by hand")


def test_patterns_by_hand() -> None:
    pcs = np.array([0.1, 0.1, 0.9, 0.9, 0.5, 0.9, 0.7, 0.3])
    uncertainty = np.array([0.1, 0.9, 0.1, 0.9, 0.1, 0.5, 0.1, 0.1])
    found = Thresholds().patterns(pcs, uncertainty).tolist()
    assert found == ["LL", "LH", "HL", "HH", "", "", "", ""]  # the thresholds themselves are neither high nor low


def test_counts_of_patterns(made: UncertaintyMap) -> None:
    counts = made.patterns()
    assert counts["benign"] == {"LL": 1, "LH": 0, "HL": 2, "HH": 0, "between": 1}
    assert counts["minimal"] == {"LL": 0, "LH": 2, "HL": 0, "HH": 1, "between": 0}
    assert sum(counts["none"].values()) == 0


def test_which_metric_tells_them_apart(made: UncertaintyMap) -> None:
    auc = made.auc()
    assert set(auc) == {"minimal"}
    # PCS: of 12 pairs, 0.05 and (0.2 but for 0.1) lie below, 0.85 below 0.9 only: 4 + 3 + 1.
    assert auc["minimal"]["pcs"].mean == pytest.approx(8 / 12)
    assert auc["minimal"]["vro"].mean == 1
    assert auc["minimal"]["pcs"].low <= 8 / 12 <= auc["minimal"]["pcs"].high
    # Three inputs that lie above all of the others do not say that a fourth would.
    assert auc["minimal"]["vro"].high == 1
    assert auc["minimal"]["vro"].low < 0.5


def test_correlation(made: UncertaintyMap) -> None:
    found = made.correlation()
    assert found["benign"] == pytest.approx(np.corrcoef([0.9, 0.8, 0.6, 0.1], [0.1, 0.2, 0.5, 0.3])[0, 1])
    assert found["none"] is None
    assert found["all"] is not None
    assert found["all"] < 0


def test_what_does_not_vary_has_no_correlation(made: UncertaintyMap) -> None:
    made.groups["minimal"].figures["pcs"][:] = 0.905  # whose mean differs from it by a rounding
    assert made.correlation()["minimal"] is None


def test_stability(made: UncertaintyMap) -> None:
    assert made.stability()["benign"] == {5: pytest.approx((0.1 + 0 + 0.3 + 0.1) / 4)}
    assert made.stability()["minimal"] == {5: 0}


@pytest.mark.parametrize("wrong", [{"low_confidence": 0.8}, {"high_uncertainty": 1.1}, {"low_uncertainty": -0.1}])
def test_thresholds_have_rules(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidSetting, match="must be 0 <= low <= high <= 1"):
        Thresholds(**wrong)
