from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.papers._networks import trained
from unnerve.papers.kuk import kuk
from unnerve.papers.kuk import trial as kuk_trial
from unnerve.papers.kuk.trial import Trial, part_of
from unnerve.studies.uncertainty import METRICS
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe


def group(pcs: float, vro: float, pattern: str, **more: Any) -> dict[str, Any]:
    """Return what is said of a group, all of whose inputs are alike."""
    return {
        "count": 10,
        "pcs": [pcs, 0.01],
        "vro": [vro, 0.02],
        "patterns": {name: float(name == pattern) for name in ("LL", "LH", "HL", "HH")},
        "vro_by_draws": {"20": vro - 0.01, "50": vro},
        "points": {"pcs": [pcs, pcs], "vro": [vro, vro]},
        **more,
    }


def small_maps(trial: Trial, data: Path, folder: Path) -> dict[str, Any]:
    """Return a result in which the smallest changes are as the paper says and the strongest the other way round."""
    auc = {metric: [0.99 - place / 10, 0.5, 1.0] for place, metric in enumerate(METRICS)}
    turned = {metric: [0.4 + place / 10, 0.3, 1.0] for place, metric in enumerate(METRICS)}
    extremes = {
        "smallest": group(0.1, 0.7, "LH", auc=auc),
        "strongest": group(0.9, 0.1, "HL", auc=turned),
    }
    return {
        "accuracy": 0.99,
        "rate": 0.4,
        "dropout": "0.4 at pool1",
        "benign": group(0.98, 0.3, "HL"),
        "attacks": {"fgsm": extremes, "deepfool": extremes},
        "correlation": {"smallest": -0.9, "strongest": 0.1},
        "count": 10,
    }


def test_tables_and_claims_from_finished_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    monkeypatch.setattr(kuk_trial, "_run", small_maps)
    result = kuk.kuk(tmp_path, tmp_path / "out")
    held = {claim.claim: claim.held for claim in result.claims}
    assert len(held) == 10
    assert all(value == ("strongest" not in claim) for claim, value in held.items())
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


def test_a_network_is_attacked_and_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kuk_trial, "_examples", lambda *_: examples("mnist5k").first(200))
    campaigns = (("linf:0.3", ("fgsm:lengths=5", "bim:steps=5")), ("l2:6", ("deepfool",)))
    trial = Trial("lenet5", "mnist", draws=30, vro=0.312, campaigns=campaigns, inputs=12)
    part = part_of(trial, tmp_path, tmp_path)
    result = part.run()
    assert part.name == "lenet5-mnist"
    assert result["accuracy"] > 0.95
    assert result["benign"]["vro"][0] == pytest.approx(0.312, abs=0.12), "12 inputs of the 50 it was fitted to"
    assert set(result["attacks"]) == {"fgsm", "bim", "deepfool"}
    smallest, strongest = (result["attacks"]["bim"][extreme] for extreme in kuk_trial.EXTREMES)
    assert smallest["count"] == strongest["count"]
    assert smallest["pcs"][0] < strongest["pcs"][0], "going on makes the model more confident of its error"
    assert smallest["auc"]["pcs"][0] > 0.9
    assert result["attacks"]["deepfool"]["smallest"]["count"] == 12
    assert result["correlation"]["smallest"] < 0
    assert len(result["benign"]["points"]["vro"]) == 12
    assert part.run() == result, "campaigns are resumed, and masks are values"


def test_a_network_without_weights_is_trained_once(tmp_path: Path) -> None:
    def training() -> Examples:
        return examples("mnist5k").first(100)

    recipe = Recipe(epochs=1, batch=50)
    first = trained("lenet1", recipe, training, tmp_path)
    written = first.stat().st_mtime_ns
    assert trained("lenet1", recipe, training, tmp_path).stat().st_mtime_ns == written
    again = trained("lenet1", replace(recipe, epochs=2), training, tmp_path)
    assert again == first
    assert again.stat().st_mtime_ns > written
