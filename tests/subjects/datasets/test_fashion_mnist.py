from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets.fashion_mnist import fashion_mnist


def test_names_its_classes(idx_folder: Callable[..., Path]) -> None:
    examples = fashion_mnist(idx_folder())
    assert examples.classes[0] == "T-shirt/top"
    assert examples.classes[9] == "Ankle boot"
    assert len(examples.classes) == 10


def test_is_named_in_messages(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"^fashion-mnist: "):
        fashion_mnist(tmp_path)


@pytest.mark.data
def test_the_real_files(real_data: Path) -> None:
    labels = fashion_mnist(real_data / "fashion-mnist").label_array()
    assert labels is not None
    assert np.bincount(labels).tolist() == [1000] * 10
