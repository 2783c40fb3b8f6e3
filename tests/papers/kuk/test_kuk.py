from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData
from unnerve.papers.kuk import kuk, runs
from unnerve.papers.kuk.results import Area, AttackFigures, GroupFigures, Moments, Points, TrialResult
from unnerve.papers.kuk.trial import Trial
from unnerve.studies.map.result import METRICS


def group(pcs: float, vro: float, pattern: str) -> GroupFigures:
    """Return what is said of a group, all of whose inputs are alike."""
    return GroupFigures(
        count=10,
        pcs=Moments(pcs, 0.01),
        vro=Moments(vro, 0.02),
        patterns={name: float(name == pattern) for name in ("LL", "LH", "HL", "HH")},
        vro_by_draws={20: vro - 0.01, 50: vro},
        points=Points((pcs, pcs), (vro, vro)),
    )


def small_maps(trial: Trial, data: Path, folder: Path) -> TrialResult:
    """Return a result in which the smallest changes are as the paper says and the strongest the other way round."""
    auc = {metric: Area(0.99 - place / 10, 0.5, 1.0) for place, metric in enumerate(METRICS)}
    turned = {metric: Area(0.4 + place / 10, 0.3, 1.0) for place, metric in enumerate(METRICS)}
    extremes = {
        "smallest": AttackFigures(group(0.1, 0.7, "LH"), auc),
        "strongest": AttackFigures(group(0.9, 0.1, "HL"), turned),
    }
    return TrialResult(
        plan=trial,
        accuracy=0.99,
        rate=0.4,
        dropout="0.4 at pool1",
        benign=group(0.98, 0.3, "HL"),
        attacks={"fgsm": extremes, "deepfool": extremes},
        correlation={"smallest": -0.9, "strongest": 0.1},
        count=10,
    )


def test_tables_and_claims_from_finished_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_maps)
    result = kuk.kuk(tmp_path, tmp_path / "out")
    held = {claim.claim: claim.held for claim in result.claims}
    assert len(held) == 10
    assert held.pop("VRO does not depend on the number of draws T above 20") is None
    assert all(value is ("strongest" not in claim) for claim, value in held.items())
    assert {claim.place == "beyond the papers" for claim in result.claims if "strongest" in claim.claim} == {True}
    first, second, third, _, patterns = result.tables
    # Rows follow the paper: Deepfool before FGSM; 98.31 % is the paper's VRO.
    assert first.rows[0][0] == "LeNet-5, Deepfool"
    assert first.rows[0][3] == "0.890 (0.983)"
    assert second.rows[1][2:4] == ("0.400 (1.000)", "0.500 (0.987)")
    assert third.rows[0] == ("LeNet-5, benign", "0.980 / 0.01 (0.990)", "0.300 / 0.02 (0.312)")
    assert third.rows[2][1] == "0.100 / 0.01 (0.012)"
    assert patterns.rows[1] == ("LeNet-5, Deepfool, smallest", "0%", "100%", "0%", "0%", "0%")
    assert "0.0100 on average" in result.claims[-1].ours
    assert [figure.title for figure in result.figures][1] == "LeNet-5: strongest change of each attack"
    assert [series.name for series in result.figures[0].series] == ["benign", "Deepfool", "FGSM"]
    assert result.figures[-1].series[0].x == (20.0, 50.0)
    assert result.skipped[0] == "NIN: cifar10 not in the data folder"
    assert result.skipped[1] == "ResNet-20: cifar10, weights/cifar10_resnet20.pt not in the data folder"


def test_folders_without_anything_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold mnist, cifar10 or imagenet-samples, got none of them"):
        kuk.kuk(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidData, match="no such folder"):
        kuk.kuk(tmp_path / "absent", tmp_path / "out")
