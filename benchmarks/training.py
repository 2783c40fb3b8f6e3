"""Retraining against a plain training loop: LeNet-5, 500 + 500 inputs in batches of 32; one thread, CPU time.

``train`` alone is compared with the loop first. ``harden`` has more to do after each epoch: it looks at the validation
set (1,000 inputs, as many as are trained on), writes the weights that it keeps, and the state from which it goes on.
"""

import copy
import tempfile
import time
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.generate.regions.linf import Linf
from unnerve.mend.repairs.retrain import Retrain
from unnerve.studies.harden._chosen import Chosen
from unnerve.studies.harden._repaired import repaired
from unnerve.studies.harden.settings import HardenSettings
from unnerve.subjects.adapters.trainable import Trainable, trainable_copy
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.memory_format import channels_last
from unnerve.subjects.training.loop import train

__all__ = ["guarded_ratio", "retraining_ratio"]


def retraining_ratio() -> float:
    """Return how long five epochs of retraining take, relative to a plain loop over the same tensors."""
    batch = examples("mnist5k").batch(range(1000))
    assert batch.labels is not None
    inputs, labels, lenet = batch.inputs, batch.labels, network()
    data, recipe = tensors(inputs, labels.numpy()), Retrain(epochs=5).recipe(0)

    def ours() -> None:
        train(Trainable(trainable_copy(lenet), inputs[:32]), data, recipe)

    with one_thread():
        return 1 / ratio(ours, lambda: _plain(lenet.module, inputs, labels), clock=time.process_time)


def guarded_ratio() -> float:
    """Return how long five epochs of what ``harden`` runs take, with validation and what it writes, likewise."""
    every, lenet, settings = examples("mnist5k"), network(), HardenSettings()
    batch, data = every.batch(range(1000)), every.first(1000)
    assert batch.labels is not None
    inputs, labels = batch.inputs, batch.labels
    held = every.take(list(range(1000, 1000 + settings.validation_inputs)))
    parts = Chosen(data, 500, 500, frozenset(), held, held)

    def ours() -> None:
        with tempfile.TemporaryDirectory(prefix="guarded-") as folder:
            repaired(lenet, parts, Retrain(epochs=5), Linf(0.1), settings, Path(folder), lambda done, total: None)

    with one_thread():
        return 1 / ratio(ours, lambda: _plain(lenet.module, inputs, labels), clock=time.process_time)


def _plain(module: nn.Module, inputs: Tensor, labels: Tensor) -> None:
    """Train a copy for five epochs, as a tutorial does it, but in the faster memory format."""
    trained = copy.deepcopy(module).train()
    optimiser = torch.optim.Adam(trained.parameters(), 0.0003)
    for _ in range(5):
        for rows in torch.randperm(len(inputs), generator=torch.Generator().manual_seed(0)).split(32):
            loss = cross_entropy(trained(channels_last(inputs[rows])), labels[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
