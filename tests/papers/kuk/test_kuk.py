from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData
from unnerve.papers.kuk import kuk, runs
from unnerve.papers.kuk.results import Area, AttackFigures, GroupFigures, TrialResult
from unnerve.papers.kuk.trial import Trial
from unnerve.studies.map.result import METRICS


def group(pcs: float, vro: float, spread: float = 0.02) -> GroupFigures:
    """Return what is said of forty inputs that are nearly alike; of every tenth VRO changes sides after 20 draws."""
    values = {metric: tuple(0.5 + spread * place / 40 for place in range(40)) for metric in METRICS}
    values["pcs"], values["vro"] = (tuple(mean + spread * (place % 2) for place in range(40)) for mean in (pcs, vro))
    early = tuple(0.5 if place % 10 == 0 else value for place, value in enumerate(values["vro"]))
    return GroupFigures(tuple(range(40)), values, {20: early, 50: values["vro"], 200: values["vro"]})


def small_maps(trial: Trial, data: Path, folder: Path) -> TrialResult:
    """Return a result in which the smallest changes are as the paper says and the strongest the other way round."""
    auc = {metric: Area(0.99 - place / 10, 0.5, 1.0) for place, metric in enumerate(METRICS)}
    extremes = {
        "smallest": AttackFigures(group(0.1, 0.7), auc),
        "strongest": AttackFigures(group(0.95, 0.1), auc),
    }
    return TrialResult(
        plan=trial,
        accuracy=0.99,
        rate=0.4,
        dropout="0.4 at pool1",
        benign=group(0.9, 0.3),
        attacks={"bim": extremes, "deepfool": extremes},
        correlation={"smallest": -0.9, "strongest": 0.1},
        count=40,
    )


WEIGHTS = ("cifar10_resnet20.pt", "nin_cifar10.safetensors", "imagenet_mobilenet_v2_1.0_224_fp16.pt")


def test_one_network_of_four_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    monkeypatch.setattr(runs, "_run", small_maps)
    claims = kuk.kuk(tmp_path, tmp_path / "out").finished().claims
    assert {claim.verdict for claim in claims} == {"cannot be decided"}


def test_tables_and_claims_from_finished_maps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("mnist", "cifar10", "imagenet-samples", "weights"):
        (tmp_path / name).mkdir()
    for name in WEIGHTS:
        (tmp_path / "weights" / name).touch()
    monkeypatch.setattr(runs, "_run", small_maps)
    result = kuk.kuk(tmp_path, tmp_path / "out").finished()
    verdicts = {claim.claim: claim.verdict for claim in result.claims}
    assert len(verdicts) == 11
    smallest, strongest = " (smallest change of each attack)", " (strongest change of each attack)"
    assert verdicts["Benign inputs have high confidence and low uncertainty on average: HL"] == "held"
    assert verdicts["VRO does not depend on the number of draws T above 20"] == "cannot be decided", "10 % of 40"
    pattern = "Adversarial inputs have low confidence and high uncertainty on average: LH"
    assert (verdicts[pattern + smallest], verdicts[pattern + strongest]) == ("held", "not held")
    # PCS and VRO tell the groups apart perfectly, and VR not at all: they tie.
    best = "PCS tells adversarial from benign inputs best of all metrics"
    assert verdicts[best + smallest] == "cannot be decided"
    assert verdicts["VRO is the best of the dropout metrics" + smallest] == "held"
    assert verdicts["VRO is the best of the dropout metrics" + strongest] == "not held", "it lies below the benign ones"
    hidden = "BIM that goes on makes confident and steady errors (HL), which the paper's search seldom found"
    assert verdicts[hidden] == "held"
    assert {claim.place == "beyond the papers" for claim in result.claims if "strongest" in claim.claim} == {True}
    first, _, third, _, patterns, draws = result.tables
    # Rows follow the paper: BIM before Deepfool; 99.06 % is the paper's VRO.
    assert first.rows[0][0] == "LeNet-5, BIM"
    assert first.rows[0][3] == "0.890 [0.50, 1.00] (0.991)"
    assert third.rows[0][0] == "LeNet-5, benign"
    assert third.rows[0][1].startswith("0.910 [")
    assert third.rows[0][1].endswith("(0.990)")
    assert patterns.rows[1] == ("LeNet-5, BIM, smallest", "0%", "100%", "0%", "0%", "0%")
    assert draws.rows[0][2].startswith("10.0% (")
    assert [figure.title for figure in result.figures][1] == "LeNet-5: strongest change of each attack"
    assert [series.name for series in result.figures[0].series] == ["benign", "BIM", "Deepfool"]
    assert result.figures[-1].series[0].x == (20.0, 50.0, 200.0)
    assert result.skipped[0] == "ResNet-32: weights/cifar10_resnet32.pt not in the data folder"


def test_a_whole_search_stands_beside_and_decides_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cifar10").mkdir()
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / WEIGHTS[0]).touch()
    monkeypatch.setattr(runs, "_run", small_maps)
    outline = kuk.kuk(tmp_path, tmp_path / "out")
    alone = outline.finished(only="carlini_wagner")
    assert [one.rows[0][0] for one in alone.tables[:1]] == ["ResNet-20, 40 inputs, whole search, BIM"]
    assert {claim.verdict for claim in alone.claims} == {"cannot be decided"}
    assert all("of 0 rows" in claim.ours for claim in alone.claims if "best" in claim.ours)


def test_a_cell_states_its_spread() -> None:
    spread = small_maps(Trial("lenet5", "mnist", 50, 0.3, (), 40), Path(), Path()).spreads()
    assert spread["benign, pcs"].mean == pytest.approx(0.91)
    assert spread["bim, smallest, AUC of vro"].ci95 == (0.5, 1.0)


def test_folders_without_anything_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="must hold mnist, cifar10 or imagenet-samples, got none of them"):
        kuk.kuk(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidData, match="no such folder"):
        kuk.kuk(tmp_path / "absent", tmp_path / "out")
