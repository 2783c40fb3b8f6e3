from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.hugging_face import ImageClassifier, SpectrogramClassifier, WaveformClassifier
from unnerve.subjects.adapters.image_processing import ImageProcessing
from unnerve.subjects.declaration import ExpectedInput


class Wrapping(nn.Module):
    """Returns its input as logits, as transformers does."""

    def forward(self, x: Tensor) -> SimpleNamespace:
        return SimpleNamespace(logits=x.flatten(1))


def test_images_are_processed_and_checked() -> None:
    processing = ImageProcessing(size=(2, 2), mean=(0.5,), std=(0.5,))
    model = ImageClassifier(Wrapping(), processing, ExpectedInput("hf:x", (3, None, None)))
    assert torch.equal(model(torch.ones(1, 3, 4, 4)), torch.ones(1, 12))
    assert model.neurons_inside is model.network
    assert "size=(2, 2)" in repr(model)
    with pytest.raises(InvalidModel, match="hf:x takes inputs of shape 3 x any x any, got 1 x 4 x 4"):
        model(torch.ones(1, 1, 4, 4))


def test_waveforms_are_brought_to_mean_0_and_variance_1() -> None:
    x = torch.tensor([[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]])
    for shaped in (x, x.unsqueeze(1)):
        made = WaveformClassifier(Wrapping(), True)(shaped)
        assert torch.allclose(made.mean(dim=1), torch.zeros(2), atol=1e-6)
        assert torch.allclose(made.var(dim=1, unbiased=False), torch.ones(2), atol=1e-4)
        assert torch.equal(WaveformClassifier(Wrapping(), False)(shaped), x)


def test_features_of_an_extractor() -> None:
    class Doubling:
        sampling_rate = 8000

        def __call__(self, rows: list[np.ndarray], **given: Any) -> dict[str, np.ndarray]:
            assert given["sampling_rate"] == 8000
            return {"input_values": np.stack(rows) * 2}

    answer = SpectrogramClassifier(Wrapping(), Doubling())(np.ones((2, 1, 3), dtype=np.float32))
    assert answer.tolist() == [[2, 2, 2], [2, 2, 2]]
