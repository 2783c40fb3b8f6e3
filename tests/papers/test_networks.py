from dataclasses import replace
from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.papers._networks import trained
from unnerve.subjects.data import examples
from unnerve.subjects.training.recipes import Recipe


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
