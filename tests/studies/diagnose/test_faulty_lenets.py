"""How often a diagnosis of LeNet-5 is right: polluted, sound, underfitted and overfitted networks on MNIST."""

from dataclasses import replace
from pathlib import Path

import pytest

from unnerve.core.data.examples import Examples
from unnerve.studies.diagnose.diagnose import Diagnosis, diagnose
from unnerve.studies.train import train
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe

pytestmark = [pytest.mark.soak, pytest.mark.data]

SHORT = Recipe(epochs=3)


@pytest.fixture
def mnist(real_data: Path) -> tuple[Examples, Examples]:
    """Return training and test images."""
    train_part, test_part = (examples(f"mnist:{real_data / 'mnist'}", split=split) for split in ("train", "test"))
    return train_part, test_part


def diagnosed(data: tuple[Examples, Examples], fault: str | None, seed: int, shown: int | None = None) -> Diagnosis:
    """Train one network and diagnose it, with the first ``shown`` training images or all."""
    images, test = data
    module = train("lenet5", images, recipe=replace(SHORT, seed=seed), fault=fault).module
    return diagnose(module, test, images.first(shown))


def test_of_ten_polluted_networks_nine_are_named_with_their_class(mnist: tuple[Examples, Examples]) -> None:
    faults = [f"polluted:alpha={(0.1, 0.2, 0.3)[k % 3]},class={k},seed={k}" for k in range(10)]
    found = [diagnosed(mnist, fault, seed) for seed, fault in enumerate(faults)]
    assert sum(one.polluted_class == str(k) for k, one in enumerate(found)) >= 9


def test_of_ten_sound_networks_at_most_one_is_accused(mnist: tuple[Examples, Examples]) -> None:
    assert sum(diagnosed(mnist, None, 100 + k).fault is not None for k in range(10)) <= 1


def test_of_five_underfitted_networks_four_are_named(mnist: tuple[Examples, Examples]) -> None:
    assert sum(diagnosed(mnist, "underfitted", 200 + k).fault == "underfitted" for k in range(5)) >= 4


def test_of_five_overfitted_networks_four_are_named(mnist: tuple[Examples, Examples]) -> None:
    sizes = [1000 + 500 * k for k in range(5)]
    found = [diagnosed(mnist, f"overfitted:inputs={n}", 300 + k, n) for k, n in enumerate(sizes)]
    assert sum(one.fault == "overfitted" for one in found) >= 4
