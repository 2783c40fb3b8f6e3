from pathlib import Path

import pytest

from unnerve.papers.kuk import runs
from unnerve.papers.kuk.runs import part_of
from unnerve.papers.kuk.trial import EXTREMES, Attacks, Trial
from unnerve.subjects.data import examples


def test_a_network_is_attacked_and_mapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "trial_examples", lambda *_: examples("mnist5k").first(200))
    campaigns = (
        Attacks("linf:0.3", ("bim:steps=5,searches=8",), ("smallest",)),
        Attacks("linf:0.3", ("fgsm:lengths=50",), ("smallest",), first_only=True),
        Attacks("linf:0.3", ("bim:steps=5",), ("strongest",)),
        Attacks("l2:6", ("deepfool",)),
    )
    trial = Trial("lenet5", "mnist", draws=50, vro=0.312, campaigns=campaigns, inputs=6)
    part = part_of(trial, tmp_path, tmp_path)
    result = part.run()
    assert part.name == "lenet5-mnist"
    assert result.accuracy > 0.95
    benign = result.benign.mean("vro").mean
    assert benign == pytest.approx(0.312, abs=0.2), "6 inputs of the 50 it was fitted to"
    assert set(result.attacks) == {"fgsm", "bim", "deepfool"}
    smallest, strongest = (result.attacks["bim"][extreme] for extreme in EXTREMES)
    assert smallest.group.count == strongest.group.count
    assert smallest.group.mean("pcs").mean < 0.2, "the search of the radius ends just behind the border"
    assert strongest.group.mean("pcs").mean > 0.5, "going on makes the model confident of its error"
    assert result.attacks["fgsm"]["smallest"].group.mean("pcs").mean < 0.2
    assert "strongest" not in result.attacks["fgsm"]
    assert smallest.auc["pcs"].mean > 0.9
    assert result.attacks["deepfool"]["smallest"].group.count == 6
    assert result.correlation["smallest"] < 0
    assert set(result.benign.vro_by_draws) == {20, 50, 200}
    assert smallest.group.seeds == tuple(range(6))
    assert part.run() == result, "campaigns are resumed, and masks are values"
