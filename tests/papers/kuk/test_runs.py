from pathlib import Path

import pytest

from unnerve.papers.kuk import runs
from unnerve.papers.kuk.runs import part_of
from unnerve.papers.kuk.trial import EXTREMES, Trial
from unnerve.subjects.data import examples


def test_a_network_is_attacked_and_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_examples", lambda *_: examples("mnist5k").first(200))
    campaigns = (("linf:0.3", ("fgsm:lengths=5", "bim:steps=5")), ("l2:6", ("deepfool",)))
    trial = Trial("lenet5", "mnist", draws=30, vro=0.312, campaigns=campaigns, inputs=12)
    part = part_of(trial, tmp_path, tmp_path)
    result = part.run()
    assert part.name == "lenet5-mnist"
    assert result.accuracy > 0.95
    assert result.benign.vro.mean == pytest.approx(0.312, abs=0.12), "12 inputs of the 50 it was fitted to"
    assert set(result.attacks) == {"fgsm", "bim", "deepfool"}
    smallest, strongest = (result.attacks["bim"][extreme] for extreme in EXTREMES)
    assert smallest.group.count == strongest.group.count
    assert smallest.group.pcs.mean < strongest.group.pcs.mean, "going on makes the model more confident of its error"
    assert smallest.auc["pcs"].mean > 0.9
    assert result.attacks["deepfool"]["smallest"].group.count == 12
    assert result.correlation["smallest"] < 0
    assert len(result.benign.points.vro) == 12
    assert part.run() == result, "campaigns are resumed, and masks are values"
