from pathlib import Path

import torch

from unnerve.core.data.examples import Examples
from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe


def plan(fault: str) -> FaultPlan:
    return FaultPlan("hunted", fault, 50, 40, Setup("lenet5", "mnist", "linf:0.2", 6, 4, recipe=Recipe(epochs=3)))


def trained_on(fault: str, tmp_path: Path) -> tuple[Examples, Recipe]:
    begun = plan(fault).begun(tmp_path, tmp_path)
    assert begun.training is not None
    assert begun.setup.recipe is not None
    return begun.training(examples("mnist5k").first(80)), begun.setup.recipe


def test_a_sound_network_sees_the_first_images_as_they_are(tmp_path: Path) -> None:
    seen, recipe = trained_on("", tmp_path)
    assert (len(seen), recipe.epochs, plan("").kind, plan("").polluted_class) == (50, 3, "sound", None)


def test_faults_change_data_or_recipe(tmp_path: Path) -> None:
    assert trained_on("underfitted", tmp_path)[1].batch == 512
    seen, recipe = trained_on("overfitted:inputs=20", tmp_path)
    assert (len(seen), recipe.epochs) == (20, 30)
    fault = "polluted:alpha=0.2,class=4"
    labels = torch.as_tensor(trained_on(fault, tmp_path)[0].batch(range(50)).labels)
    sound = torch.as_tensor(trained_on("", tmp_path)[0].batch(range(50)).labels)
    changed = labels != sound
    assert set(labels[changed].tolist()) == {4}
    assert 0 < int(changed.sum()) <= 10, "a fifth of the images, of which some were fours"
    assert (plan(fault).kind, plan(fault).polluted_class) == ("polluted 20%", 4)


def test_networks_of_other_faults_are_kept_elsewhere(tmp_path: Path) -> None:
    faults = ("", "underfitted", "polluted:alpha=0.2,class=4", "polluted:alpha=0.2,class=5")
    assert len({plan(fault).begun(tmp_path, tmp_path).folder for fault in faults}) == 4
