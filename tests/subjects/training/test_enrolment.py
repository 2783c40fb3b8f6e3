import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.training.enrolment import enrol


class Plain(nn.Module):
    def __init__(self, classes: int) -> None:
        super().__init__()
        self.centroids = nn.Parameter(torch.zeros(classes, 2))

    def embedding(self, x: Tensor) -> Tensor:
        return nn.functional.normalize(x, dim=1)


def data(labels: list[int]) -> Examples:
    return tensors(torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.array(labels))


def test_centroids_are_mean_embeddings_of_length_one() -> None:
    net = Plain(2)
    enrol(net, data([0, 0, 1]))
    torch.testing.assert_close(net.centroids.detach(), torch.tensor([[0.5**0.5, 0.5**0.5], [1.0, 0.0]]))


def test_says_what_is_missing() -> None:
    with pytest.raises(InvalidData, match="found no clip of class 1"):
        enrol(Plain(2), data([0, 0, 0]))
    with pytest.raises(InvalidData, match="labels must be < 2, got 5"):
        enrol(Plain(2), data([0, 1, 5]))
    with pytest.raises(InvalidModel, match="only networks with an embedding"):
        enrol(nn.Linear(2, 2), data([0, 0, 1]))
    with pytest.raises(InvalidData, match="needs labels"):
        enrol(Plain(2), tensors(torch.zeros(2, 2)))
