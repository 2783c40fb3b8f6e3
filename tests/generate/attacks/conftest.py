"""A small network trained on real digits, and the other libraries that attack it: the oracles of the attacks' tests."""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Hunter, Space
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.weights import fill

Scene = tuple[Subject[Metered], Seeds, Streams]


@dataclass(frozen=True, eq=False)
class Duel:
    """The same network, inputs and labels for us and for the others.

    Parameters
    ----------
    net : nn.Module
        From (N, 1, 8, 8) to logits (N, 10).
    inputs : Tensor of shape (64, 1, 8, 8)
        All of them correctly classified.
    labels : int64 Tensor of shape (64,)
    proposals : callable (hunter, scene, space) -> list of Candidates
    """

    net: nn.Module
    inputs: Tensor
    labels: Tensor
    proposals: Callable[..., list[Candidates]]

    def scene(self, target: Tensor | None = None) -> Scene:
        """Return what a hunter is given."""
        count = len(self.labels)
        model = Metered(TorchModule(self.net, "digits"), Meter(count))
        batch = Batch(self.inputs, self.labels, tuple(map(str, range(count))))
        seen = model.of(torch.arange(count)).observe(self.inputs)
        return Subject(model), Seeds(batch, seen, target), Streams(0, batch.ids)

    def ours(self, hunter: Hunter, space: Space, target: Tensor | None = None) -> Tensor:
        """Return each seed's nearest input that reached the goal, or its last one: like the inputs."""
        result, nearest = self.inputs.clone(), torch.full((len(self.labels),), float("inf"))
        for found in self.proposals(hunter, self.scene(target), space):
            rows = found.seed_index
            length = (found.inputs - self.inputs[rows]).flatten(1).norm(dim=1)
            length[~self.flipped(found.inputs, target, rows)] = float("inf")
            better = (length < nearest[rows]) | nearest[rows].isinf()
            result[rows[better]], nearest[rows[better]] = found.inputs[better], length[better]
        return result

    def flipped(self, x: Tensor, target: Tensor | None = None, rows: Tensor | None = None) -> Tensor:
        """Say which inputs are answered wrongly, or with the target: bool."""
        every = torch.arange(len(x)) if rows is None else rows
        with torch.no_grad():
            answers = self.net(x).argmax(dim=1)
        wrong: Tensor = answers != self.labels[every] if target is None else answers == target[every]
        return wrong

    def distances(self, x: Tensor, norm: float = 2, target: Tensor | None = None) -> Tensor:
        """Return how far each input is from its seed, infinitely far if it is answered as it should be."""
        lengths = torch.linalg.vector_norm((x - self.inputs).flatten(1), norm, dim=1)
        return torch.where(self.flipped(x, target), lengths, torch.inf)

    @property
    def foolbox(self) -> Any:
        """The attacks of foolbox."""
        return import_module("foolbox.attacks")

    @property
    def art(self) -> Any:
        """The attacks of ART."""
        return import_module("art.attacks.evasion")

    def classifier(self) -> Any:
        """Return the network as ART takes it."""
        made = import_module("art.estimators.classification").PyTorchClassifier
        return made(self.net, nn.CrossEntropyLoss(), (1, 8, 8), 10, clip_values=(0.0, 1.0))

    def by_art(self, attack: Any, labels: Tensor | None = None) -> Tensor:
        """Return what an attack of ART makes of the inputs."""
        made = attack.generate(self.inputs.numpy(), np.eye(10)[(self.labels if labels is None else labels).numpy()])
        return torch.from_numpy(made.astype(np.float32))

    def by_foolbox(self, attack: Any, epsilon: float | None, target: Tensor | None = None) -> Tensor:
        """Return what an attack of foolbox makes of the inputs."""
        foolbox: Any = import_module("foolbox")
        model = foolbox.PyTorchModel(self.net, bounds=(0, 1), device="cpu")
        criterion = foolbox.criteria.Misclassification(self.labels)
        aim = criterion if target is None else foolbox.criteria.TargetedMisclassification(target)
        clipped: Tensor = attack(model, self.inputs, aim, epsilons=epsilon)[1]
        return clipped.detach()


@pytest.fixture(scope="session")
def digits_net() -> nn.Sequential:
    """Return a small convolutional network that knows its digits, in eval mode.

    Its weights are stored: trained anew they would depend on the processor's last bits, and so would every comparison.
    They come from 50 steps of Adam (rate 0.01) over the first 500 digits, begun at random seed 3.
    """
    layers = nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 32), nn.ReLU()
    net = nn.Sequential(*layers, nn.Linear(32, 10))
    fill(net, Path(__file__).with_name("digits_net.safetensors"))
    return net.eval()


@pytest.fixture
def duel(digits_net: nn.Sequential, proposals: Callable[..., list[Candidates]]) -> Iterator[Duel]:
    """Return the network with its first 64 correctly classified digits; what the others warn of is not our business."""
    data = load_digits()
    x = torch.from_numpy(data.images.astype(np.float32) / 16).unsqueeze(1)
    y = torch.from_numpy(data.target.astype(np.int64))
    with torch.no_grad():
        rows = (digits_net(x).argmax(dim=1) == y).nonzero().flatten()[:64]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield Duel(digits_net, x[rows], y[rows], proposals)
    for parameter in digits_net.parameters():
        parameter.grad = None


@pytest.fixture
def targeted() -> Callable[[Scene, Tensor], Scene]:
    """Return targeted(scene, target) -> the scene with targets."""
    return lambda scene, target: (scene[0], replace(scene[1], target=target), scene[2])
