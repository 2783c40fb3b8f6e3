from pathlib import Path

import pytest

from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers._json import from_json, to_json
from unnerve.papers.deepsensor_faults.experiments import repaired as module
from unnerve.papers.deepsensor_faults.experiments.repaired import Repaired, RepairPlan, repaired


def test_repairs_are_measured_on_the_same_inputs(begun: Begun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ATTACKS", "pgd:steps=3,fgsm")
    monkeypatch.setattr(module, "methods_of", lambda _: {"PGD": "pgd:steps=3", "random noise": "random"})
    network, experiment = begun("repaired", "")
    plan = RepairPlan(network, "linf:0.3", "linf:0.1", 5, 1, "clever:batches=10,samples=2")
    found = repaired(plan, experiment)
    assert list(found.repairs) == ["PGD", "class_tour", "PGD-AT"]
    assert found.repairs["PGD"].findings == 6
    assert found.repairs["PGD-AT"].findings == 0
    figures = {"clean", "clever", "pgd", "fgsm", "near pgd", "near robust"}
    assert all(set(one.figures) == figures for one in found.repairs.values())
    before = [one.figures["clever"].before for one in found.repairs.values()]
    assert before[0] == before[1] == before[2]
    scores = {name: mended.clever_scores for name, mended in found.repairs.items()}
    assert all(len(one) == 1 for one in scores.values()), "of the one input that CLEVER was measured on"
    assert all(
        [list(pair)[end] for pair in scores[name].values()]
        == [pytest.approx(getattr(one.figures["clever"], when).mean)]
        for name, one in found.repairs.items()
        for end, when in enumerate(("before", "after"))
    )
    assert from_json(Repaired, to_json(found)) == found
    weights = list(experiment.folder.glob("repairs-*/*/attacked/weights.safetensors"))
    assert len(weights) == 3
    # The network that is attacked in the smaller region is the same one, also after adversarial training.
    assert all(path.read_bytes() == (path.parents[1] / "near" / path.name).read_bytes() for path in weights)
