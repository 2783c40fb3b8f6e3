"""Attacks against those of foolbox, ART and, where it is installed, torchattacks; LeNet-5, one thread, CPU time.

Run by itself it prints the table of docs/explanation/attacks.md.
"""

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.core.data.examples import Batch
from unnerve.core.findings import Seeds
from unnerve.core.methods import Hunter, Space
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.attacks.carlini_wagner import CarliniWagner
from unnerve.generate.attacks.deepfool import DeepFool
from unnerve.generate.attacks.jsma import JSMA
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples

Peer = Callable[[], Tensor]
FREE = L2(1000.0)
"""A region that cuts nothing off."""


@dataclass(frozen=True, eq=False)
class Duel:
    """One attack of ours and the same one of others, on the same digits.

    Parameters
    ----------
    hunter : Hunter
    space : Space
    count : int
        Digits, all correctly classified.
    peers : callable (Duel) -> dict
        The others by name.
    aimed : bool
        Every digit shall be taken for the next one.
    rounds : int
        Of the timing.
    """

    hunter: Hunter
    space: Space
    count: int
    peers: Callable[["Duel"], dict[str, Peer]]
    aimed: bool = False
    rounds: int = 5

    @cached_property
    def batch(self) -> Batch:
        """The digits."""
        return hunted_seeds(_lenet(), examples("mnist5k"), self.count).seeds.batch(range(self.count))

    @property
    def labels(self) -> Tensor:
        """The right classes."""
        labels = self.batch.labels
        assert labels is not None
        return labels

    @property
    def target(self) -> Tensor | None:
        """The classes that they shall be taken for."""
        return (self.labels + 1) % 10 if self.aimed else None

    def ours(self) -> Tensor:
        """Return each digit's nearest input that reached the goal, or the digit itself."""
        batch, model = self.batch, Metered(_lenet(), Meter(self.count))
        seen = model.of(torch.arange(self.count)).observe(batch.inputs)
        hunt = self.hunter.hunt(Subject(model), Seeds(batch, seen, self.target), self.space, Streams(0, batch.ids))
        result, everyone, found = batch.inputs.clone(), torch.ones(self.count, dtype=torch.bool), next(hunt)
        while True:
            # An attack that looks for the smallest change proposes nearer and nearer ones; PGD, its latest.
            if len(found) == self.count:
                result.copy_(found.inputs)
            else:
                result[found.seed_index] = found.inputs
            try:
                found = hunt.send(everyone)
            except StopIteration:
                return result

    def reached(self, x: Tensor) -> Tensor:
        """Say which inputs reach the goal: bool (N,)."""
        answers = _lenet().observe(x).predicted
        wrong: Tensor = answers != self.labels if self.target is None else answers == self.target
        return wrong

    def lengths(self, x: Tensor) -> Tensor:
        """Return how far each input is from its digit in L2, infinitely far if it does not reach the goal: (N,)."""
        lengths = torch.linalg.vector_norm((x - self.batch.inputs).flatten(1), dim=1)
        blank = x.flatten(1).amax(dim=1) == 0  # what foolbox returns where C&W fails, and no digit
        return torch.where(self.reached(x) & ~blank, lengths, torch.inf)


def pgd_ratio() -> float:
    """Speed of PGD relative to the fastest peer: 40 steps in linf 0.1 for 256 digits."""
    return _fastest("pgd")


def deepfool_ratio() -> float:
    """Speed of DeepFool relative to foolbox's, 256 digits."""
    return _ratio("deepfool", "foolbox")


def deepfool_flipped() -> float:
    """Share of the digits whose answer DeepFool changes."""
    return float(_lengths("deepfool", "unnerve").isfinite().float().mean())


def deepfool_length() -> float:
    """Median length of DeepFool's changes in L2, relative to foolbox's."""
    return _median("deepfool", "unnerve") / _median("deepfool", "foolbox")


def jsma_ratio() -> float:
    """Speed of JSMA with exact pairs relative to ART's, one gradient a step each, 64 digits of 28x28."""
    return _ratio("jsma", "art")


def carlini_wagner_ratio() -> float:
    """Speed of C&W relative to the fastest peer: 100 steps with one constant, 256 digits."""
    return _fastest("carlini_wagner")


def carlini_wagner_length() -> float:
    """Median length of C&W's changes in L2, relative to the best peer's."""
    duel = DUELS["carlini_wagner"]
    return _median("carlini_wagner", "unnerve") / min(_median("carlini_wagner", peer) for peer in duel.peers(duel))


def _pgd_peers(duel: Duel) -> dict[str, Peer]:
    peers = {
        "foolbox": _foolbox(duel, "LinfProjectedGradientDescentAttack", 0.1, abs_stepsize=0.01, steps=40),
        "art": _art(duel, "ProjectedGradientDescentPyTorch", eps=0.1, eps_step=0.01, max_iter=40, num_random_init=1),
    }
    return peers | _torchattacks(duel, "PGD", eps=0.1, alpha=0.01, steps=40)


def _deepfool_peers(duel: Duel) -> dict[str, Peer]:
    return {"foolbox": _foolbox(duel, "L2DeepFoolAttack", None, steps=50, candidates=10, overshoot=0.02)}


def _jsma_peers(duel: Duel) -> dict[str, Peer]:
    return {"art": _art(duel, "SaliencyMapMethod", theta=1.0, gamma=0.145)}


def _carlini_wagner_peers(duel: Duel) -> dict[str, Peer]:
    # ART's takes minutes for the same.
    same = {"steps": 100, "stepsize": 0.05, "abort_early": False}
    attack = _foolbox(duel, "L2CarliniWagnerAttack", None, binary_search_steps=1, initial_const=10.0, **same)
    return {"foolbox": attack} | _torchattacks(duel, "CW", c=10, steps=100, lr=0.05)


DUELS = {
    "pgd": Duel(PGD(steps=40, step=0.01), Linf(0.1), 256, _pgd_peers),
    "deepfool": Duel(DeepFool(), FREE, 256, _deepfool_peers),
    "jsma": Duel(JSMA("probabilities", distortion=0.145), L0(1.0), 64, _jsma_peers, aimed=True, rounds=3),
    "carlini_wagner": Duel(
        CarliniWagner(steps=100, searches=1, constant=10.0, step=0.05, abort_early=False),
        FREE,
        256,
        _carlini_wagner_peers,
        rounds=2,
    ),
}


@cache
def _ratio(name: str, peer: str) -> float:
    """Return how fast our attack is relative to another."""
    duel = DUELS[name]
    with _alone():
        return ratio(duel.ours, duel.peers(duel)[peer], duel.rounds, time.process_time)


@cache
def _lengths(name: str, who: str) -> Tensor:
    """Return how far the changes go, ours or another's: (N,)."""
    duel = DUELS[name]
    with _alone():
        return duel.lengths(duel.ours() if who == "unnerve" else duel.peers(duel)[who]())


def _fastest(name: str) -> float:
    """Return the speed of our attack relative to the fastest of the others."""
    return min(_ratio(name, peer) for peer in DUELS[name].peers(DUELS[name]))


def _median(name: str, who: str) -> float:
    return float(_lengths(name, who).median())


@cache
def _lenet() -> TorchModule:
    lenet = network()
    # In the others' favour: without this they compute gradients of the weights too, which nobody wants.
    lenet.module.eval().requires_grad_(False)
    return lenet


def _foolbox(duel: Duel, name: str, epsilon: float | None, **settings: Any) -> Peer:
    foolbox: Any = import_module("foolbox")
    attack = getattr(foolbox.attacks, name)(**settings)
    network = foolbox.PyTorchModel(_lenet().module, bounds=(0, 1), device="cpu")
    inputs, aim = duel.batch.inputs, foolbox.criteria.Misclassification(duel.labels)

    def run() -> Tensor:
        changed: Tensor = attack(network, inputs, aim, epsilons=epsilon)[1].detach()
        return changed

    return run


def _art(duel: Duel, name: str, **settings: Any) -> Peer:
    made = import_module("art.estimators.classification").PyTorchClassifier
    network = made(_lenet().module, nn.CrossEntropyLoss(), (1, 28, 28), 10, clip_values=(0.0, 1.0), device_type="cpu")
    attack = getattr(import_module("art.attacks.evasion"), name)(network, batch_size=256, verbose=False, **settings)
    wanted = np.eye(10, dtype=np.float32)[(duel.labels if duel.target is None else duel.target).numpy()]
    inputs = duel.batch.inputs.numpy()
    return lambda: torch.from_numpy(attack.generate(inputs, wanted))


def _torchattacks(duel: Duel, name: str, **settings: Any) -> dict[str, Peer]:
    """Return an attack of torchattacks, if it is installed: it asks for torchvision, which we cannot have."""
    if find_spec("torchattacks") is None:
        return {}
    attack = getattr(import_module("torchattacks"), name)(_lenet().module, **settings)
    inputs, labels = duel.batch.inputs, duel.labels
    return {"torchattacks": lambda: attack(inputs, labels).detach()}


@contextmanager
def _alone() -> Iterator[None]:
    """Let torch use one thread, and keep to themselves what the others warn of."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def main() -> None:
    packages = {"foolbox": "foolbox", "art": "adversarial-robustness-toolbox", "torchattacks": "torchattacks"}
    for name, duel in DUELS.items():
        for who in ("unnerve", *duel.peers(duel)):
            release = "" if who == "unnerve" else version(packages[who])
            times = 1.0 if who == "unnerve" else _ratio(name, who)
            length = _lengths(name, who)
            there = float(length.isfinite().float().mean())
            print(f"{name:16}{who:14}{release:8} ours is {times:6.2f} times as fast  reached {there:.3f}", end="  ")
            print(f"median L2 {float(length.median()):.4f}", flush=True)


if __name__ == "__main__":
    main()
