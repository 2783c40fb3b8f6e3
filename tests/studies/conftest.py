"""Fixtures for studies."""

import pytest
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


@pytest.fixture
def answered(tiny_model: TorchModule, small_images: Tensor) -> Examples:
    """Return images labelled as the model answers, but for every fourth, which is labelled wrongly."""
    labels = tiny_model.observe(small_images).predicted.clone()
    labels[::4] = (labels[::4] + 1) % 4
    return tensors(small_images, labels, classes="abcd", name="answered")
