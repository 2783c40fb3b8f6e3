"""Model mutation testing: adversarial inputs change their answer under more mutants (Wang et al., ICSE 2019)."""

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Capability, Classifier, Observation
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.mend.defences._ratio_test import ratio_test, votes_needed
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["Mutation"]

_OPERATORS = ("gf", "ws", "ns", "nai")

_BLOCK = 10
"""Mutants between two looks at which tests have ended."""

_FOLLOWED = 5
"""Mutants whose gradients an attack follows: mutants are alike, and each costs a pass and its way back."""


@dataclass(frozen=True)
class Mutation:
    """Label-change rate under mutants of the model, decided by a sequential probability ratio test.

    Parameters
    ----------
    operator : str
        What is mutated: ``gf`` adds Gaussian noise to weights, ``ws`` shuffles the weights of neurons, ``ns`` switches
        pairs of neurons of a layer, ``nai`` inverts what neurons say before their activation.
    mutants : int
        How many are made; the paper has 500. At the usual error the test needs 15 that are used, or more where the
        threshold is near 1.
    rate : float
        Share of the network's weights or neurons that is mutated, in ``(0, 1)``: 0.05 for MNIST, 0.005 for CIFAR-10 as
        published; one neuron, or one pair, at least.
    kept : float
        A mutant with less than this share of the model's own accuracy is not used.
    error : float
        Of the test, on either side, in ``(0, 0.5)``.
    threshold : float or None
        Label-change rate h of clean inputs, in ``(0, 1]``; calibration sets it if None, to their mean and its 99 %
        margin, and keeps it if not.

    References
    ----------
    Wang et al., "Adversarial Sample Detection for Deep Neural Network through Model Mutation Testing", 2019.
    """

    operator: str = "gf"
    mutants: int = 100
    rate: float = 0.05
    kept: float = 0.9
    error: float = 0.05
    threshold: float | None = None
    chosen: tuple[int, ...] = field(default=(), metadata={"setting": False})
    needs = Capability.ANSWERS

    def __post_init__(self) -> None:
        if self.operator not in _OPERATORS:
            raise InvalidSetting(f"operator must be {', '.join(_OPERATORS)}, got '{self.operator}'")
        for name, most in (("rate", 1), ("kept", 1), ("error", 0.5)):
            if not 0 < getattr(self, name) < most:
                raise InvalidSetting(f"{name} must be in (0, {most}), got {getattr(self, name)}")
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise InvalidSetting(f"threshold must be in (0, 1], got {self.threshold}")
        # Of any threshold if none is known yet: the smaller it is, the fewer are needed, down to this number.
        least = votes_needed(self.threshold or 0.5, self.error)
        if self.mutants < least:
            raise InvalidSetting(
                f"mutants must be >= {least}, or the test at error={self.error:g} can call no input adversarial, "
                f"got {self.mutants}"
            )

    def check(self, model: Classifier, data: Examples) -> None:
        """Raise unless the model has weights to mutate."""
        _layers(_module_of(model).module, model.name)

    def calibrated(self, subject: Subject[Classifier], clean: Examples) -> "Mutation":
        """Return the detector with the mutants that are still accurate, and the rate of clean inputs if it has none."""
        batch = clean.batch(range(len(clean)))
        own = subject.model.observe(batch.inputs).predicted
        right = own if batch.labels is None else batch.labels
        answers = {
            number: self._mutant(subject, number).observe(batch.inputs).predicted for number in range(self.mutants)
        }
        least = self.kept * float((own == right).float().mean())
        chosen = [number for number, said in answers.items() if float((said == right).float().mean()) >= least]
        if not chosen:
            raise InvalidSetting(f"no mutant keeps {self.kept:g} of the accuracy; mutate less than rate={self.rate:g}")
        if self.threshold is not None:
            return self._able(tuple(chosen), self.threshold)
        if len(batch) < 2:
            raise InvalidData(f"mutation sets its threshold by at least 2 clean inputs, got {len(batch)}")
        rates = torch.stack([answers[number] != own for number in chosen]).double().mean(dim=0)
        high = float(rates.mean() + 2.576 * rates.std() / math.sqrt(len(rates)))
        # A rate of zero would leave the test without an odds ratio; one change in all votes is the least there is.
        return self._able(tuple(chosen), min(1.0, max(high, 1 / (len(chosen) * len(rates)))))

    def _able(self, chosen: tuple[int, ...], threshold: float) -> "Mutation":
        """Return the detector with its mutants and threshold, if they are enough for any input to be suspect."""
        least = votes_needed(threshold, self.error)
        if len(chosen) < least:
            raise InvalidSetting(
                f"mutation: {len(chosen)} of {self.mutants} mutants keep {self.kept:g} of the accuracy, and its test "
                f"needs {least} at error={self.error:g} to call any input adversarial; make more mutants, or mutate "
                f"less than rate={self.rate:g}"
            )
        return replace(self, chosen=chosen, threshold=threshold)

    def suspicion(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the final log odds of the test, positive only where it decided for adversarial, (N,)."""
        if self.threshold is None:
            raise InvalidSetting("mutation has no threshold yet; calibrate it with clean inputs")
        own = subject.model.observe(x).predicted
        odds, adversarial = np.zeros(len(x)), np.zeros(len(x), dtype=bool)
        votes = np.zeros((len(x), 0), dtype=bool)
        left = np.arange(len(x))
        for start in range(0, len(self.chosen), _BLOCK):
            block = self.chosen[start : start + _BLOCK]
            said = [self._mutant(subject, number).observe(x[left]).predicted != own[left] for number in block]
            votes = np.concatenate([votes, torch.stack(said, dim=1).numpy()], axis=1)
            odds[left], adversarial[left], ended = ratio_test(votes, self.threshold, self.error)
            # An input whose test has ended needs no further mutant: adversarial ones leave after a few.
            left, votes = left[~ended], votes[~ended]
            if not len(left):
                break
        # An input that is undecided when the mutants are used up is taken for normal.
        return torch.from_numpy(np.where(adversarial, np.maximum(odds, 1e-9), -np.maximum(np.abs(odds), 1e-9)))

    def suspicion_gradient(self, subject: Subject[Classifier], x: Tensor) -> Tensor:
        """Return the gradient of the answer's lead lost under a few mutants, for attacks that know them: (N, ...)."""
        own = subject.model.observe(x).predicted

        def lost(seen: Observation, classes: Tensor) -> Tensor:
            return -seen.lead(classes).clamp(max=1)

        gradients = [self._mutant(subject, number).gradient(x, lost, own)[1] for number in self.chosen[:_FOLLOWED]]
        return torch.stack(gradients).mean(dim=0)

    @property
    def knowledge(self) -> dict[str, object]:
        """What it learnt: the mutants that are accurate enough, by their numbers, and the rate of clean inputs."""
        return {"threshold": self.threshold, "chosen": list(self.chosen)}

    def recalled(self, knowledge: Mapping[str, Any]) -> "Mutation":
        """Return the detector with its mutants and the rate of clean inputs."""
        return replace(self, chosen=tuple(knowledge["chosen"]), threshold=knowledge["threshold"])

    def _mutant(self, subject: Subject[Classifier], number: int) -> TorchModule:
        model = _module_of(subject.model)
        # Made anew whenever it is asked: a hundred copies of a network are more than memory may hold.
        module = deepcopy(model.module)
        # Always of the random seed 0: calibration keeps the numbers of mutants, which must be the same ones ever after.
        streams = Streams(0, [f"mutant/{self.operator}/{number}"])
        layers = _layers(module, model.name)
        with torch.no_grad():
            if self.operator == "gf":
                for place, layer in enumerate(layers):
                    assert isinstance(layer.weight, Tensor)
                    self._fuzz(layer.weight, streams, place)
            else:
                for place, rows in enumerate(self._neurons(layers, streams)):
                    _MUTATED[self.operator](layers[place], rows, streams, place)
        return TorchModule(module, f"{model.name}, mutant {number}", model.outputs)

    def _fuzz(self, weight: Tensor, streams: Streams, place: int) -> None:
        hit = streams.uniform(place, 0, tuple(weight.shape))[0] < self.rate
        # Differs: the released code draws new weights around the layer's mean; fuzzing means around their own.
        weight += hit * streams.normal(place, 1, tuple(weight.shape))[0] * weight.std()

    def _neurons(self, layers: Sequence[nn.Module], streams: Streams) -> list[Tensor]:
        """Return which neurons of each layer are mutated, by their numbers, int64."""
        sizes = [len(layer.weight) for layer in layers if isinstance(layer.weight, Tensor)]
        # A switch takes two of them.
        count = max(1, round(self.rate * sum(sizes) / (2 if self.operator == "ns" else 1)))
        # Drawn from the whole network: one of each layer at least would be many times the rate in a deep one.
        chosen = streams.permutations(0, 0, sum(sizes))[0][:count]
        starts = [0, *accumulate(sizes)]
        return [chosen[(chosen >= start) & (chosen < stop)] - start for start, stop in pairwise(starts)]


def _module_of(model: Classifier) -> TorchModule:
    if not isinstance(model, TorchModule):
        raise InvalidModel(f"mutation changes weights: it needs an nn.Module, and {model.name} is none")
    return model


def _layers(module: nn.Module, name: str) -> list[nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d]:
    """Return the layers that are mutated, at least one."""
    found = [one for one in module.modules() if isinstance(one, nn.Linear | nn.Conv1d | nn.Conv2d | nn.Conv3d)]
    if not found:
        raise InvalidModel(f"mutation changes dense and convolution layers, and {name} shows none")
    return found


def _shuffled(layer: nn.Module, rows: Tensor, streams: Streams, place: int) -> None:
    weight = layer.weight
    assert isinstance(weight, Tensor)
    flat = weight[rows].flatten(1)
    order = streams.uniform(place, 1, tuple(flat.shape))[0].argsort(dim=1)
    weight[rows] = flat.gather(1, order).view(len(rows), *weight.shape[1:])


def _switched(layer: nn.Module, rows: Tensor, streams: Streams, place: int) -> None:
    weight = layer.weight
    assert isinstance(weight, Tensor)
    if len(weight) < 2:
        return
    order = list(range(len(weight)))
    apart = 1 + (streams.uniform(place, 1, (len(rows),))[0] * (len(weight) - 1)).long()
    for one, other in zip(rows.tolist(), ((rows + apart) % len(weight)).tolist(), strict=True):
        order[one], order[other] = order[other], order[one]
    weight.copy_(weight[order])
    # Differs: the released code leaves biases where they are; a neuron that takes another's place brings its own.
    if isinstance(layer.bias, Tensor):
        layer.bias.copy_(layer.bias[order])


def _inverted(layer: nn.Module, rows: Tensor, streams: Streams, place: int) -> None:
    for part in (layer.weight, layer.bias):
        if isinstance(part, Tensor):
            part[rows] *= -1


_MUTATED = {"ws": _shuffled, "ns": _switched, "nai": _inverted}
