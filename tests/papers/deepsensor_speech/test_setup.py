import numpy as np
import torch

from unnerve.papers.deepsensor_speech.setup import in_turn
from unnerve.subjects.datasets.tensors import tensors


def test_few_clips_are_of_many_speakers() -> None:
    labels = np.repeat([0, 1, 2], [4, 2, 3])
    clips = tensors(torch.arange(9.0).view(9, 1) / 9, labels)
    batch = in_turn(clips).batch(range(9))
    assert batch.labels is not None
    assert batch.labels.tolist() == [0, 1, 2, 0, 1, 2, 0, 2, 0]
    # Each speaker's clips in their own order.
    assert (batch.inputs.flatten() * 9).round().int().tolist() == [0, 4, 6, 1, 5, 7, 2, 8, 3]
