"""DeepSensor: swarms against bare loops, estimators of Shapley values against a long reference, peak memory."""

import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import torch
from scipy.stats import spearmanr
from torch import Tensor
from torch.nn.functional import cross_entropy

from benchmarks.memory import measured
from benchmarks.pairs import bare_both, bare_forward, one_thread, ratio, repeated
from benchmarks.scene import job, network, subject
from unnerve.campaign.run import run
from unnerve.core.findings import Seeds
from unnerve.core.model import Observation
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples

_SEEDS, _EVALUATIONS = 100, 100 * 100 * 20
_PAIRS, _TOP = 8, 20
_REFERENCE = "permutation:permutations=400"

_RESNET20 = """
from unnerve.core.streams import Streams
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.datasets.tensors import tensors
images = tensors(Streams(0, map(str, range(300))).uniform(0, 0, (3, 32, 32)))
hunt("zoo:resnet20?random", images, "deepsensor:iterations=2", "a", inputs=10, region="linf:8/255")
"""

_MOBILENET = """
import torch
from torch.nn.functional import cross_entropy
from unnerve.subjects.models import model
network = model("zoo:mobilenet?random")
x = torch.rand((8, 3, 224, 224), generator=torch.Generator().manual_seed(0))
masks = torch.ones(1).expand(8, 4, len(network.neuron_map(x).hidden))
loss = lambda seen, classes: cross_entropy(seen.logits, classes, reduction="none")
_, slopes, _ = network.mask_gradient(x, masks, loss, torch.zeros(8, dtype=torch.int64))
assert slopes.shape == masks.shape
"""


def sensitive_ratio() -> float:
    """Throughput of DeepSensor in evaluations per CPU second, judged and metered, relative to the bare forward loop."""
    lenet, digits = network(), examples("mnist5k").batch(range(5000))
    with one_thread():
        return _throughput("deepsensor", bare_forward(lenet.module.eval(), digits.inputs, time.process_time), lenet)


def excitable_ratio() -> float:
    """Throughput of DeepSensor with excitable neurons by ``taylor``, relative to a bare loop of both passes."""
    lenet, digits = network(), examples("mnist5k").batch(range(5000))
    assert digits.labels is not None
    with one_thread():
        bare = bare_both(lenet.module.eval(), digits.inputs, digits.labels, time.process_time)
        return _throughput("deepsensor_excitable", bare, lenet)


def owen_rank() -> float:
    """Mean rank correlation (Spearman) of ``owen`` with the reference, over pairs of a digit and the same attacked."""
    return _against_reference("owen:coalitions=256").rank


def owen_time() -> float:
    """CPU time of ``owen`` relative to that of the reference."""
    return _against_reference("owen:coalitions=256").time


def path_rank() -> float:
    """Mean rank correlation of ``path`` with 4 points."""
    return _against_reference("path:points=4").rank


def path_top() -> float:
    """How many of the reference's 20 strongest neurons ``path`` has among its own 20, on average."""
    return _against_reference("path:points=4").top


def resnet20_gigabytes() -> float:
    """Peak memory of a process that hunts with DeepSensor on ResNet-20, in GiB."""
    return _gigabytes(_RESNET20)


def mobilenet_gigabytes() -> float:
    """Peak memory of a process that differentiates by the masks of a MobileNet for 224x224 pixels, in GiB."""
    return _gigabytes(_MOBILENET)


def _throughput(method: str, bare: Callable[[], object], lenet: TorchModule) -> float:
    """Return evaluations per CPU second relative to those of a bare loop over 5,000 digits, run for a fair while."""
    shard, tested, loops = job(lenet, method, _SEEDS), subject(lenet, reference=True), 8
    speed = ratio(lambda: run(shard, tested), repeated(bare, loops), rounds=2, clock=time.process_time)
    return speed * _EVALUATIONS / (loops * 5000)


@dataclass(frozen=True)
class Estimate:
    """How good an estimator is, and what it costs: rank correlation, shared strongest neurons, share of CPU time."""

    rank: float
    top: float
    time: float


@cache
def _against_reference(estimator: str) -> Estimate:
    wanted, long = _values(_REFERENCE)
    found, short = _values(estimator)
    ranks = [float(spearmanr(one, other).statistic) for one, other in zip(found, wanted, strict=True)]
    shared = [
        len(set(one.topk(_TOP).indices.tolist()) & set(other.topk(_TOP).indices.tolist()))
        for one, other in zip(found, wanted, strict=True)
    ]
    return Estimate(sum(ranks) / len(ranks), sum(shared) / len(shared), short / long)


@cache
def _values(estimator: str) -> tuple[Tensor, float]:
    """Return what an estimator says of digits and errors made of them, (pairs, U), and its time."""
    lenet = network()
    chosen = hunted_seeds(lenet, examples("mnist5k"), _PAIRS).seeds
    batch = chosen.batch(range(_PAIRS))
    assert batch.labels is not None
    metered = Metered(lenet, Meter(_PAIRS))
    seeds = Seeds(batch, lenet.observe(batch.inputs))
    changed = _attacked(lenet, batch.inputs, batch.labels)
    with one_thread():
        start = time.process_time()
        react = build("reaction", estimator).prepare(Subject(metered), seeds, Streams(0, batch.ids))
        values: Tensor = react(changed.unsqueeze(1), torch.arange(_PAIRS)).squeeze(1)
        return values, time.process_time() - start


def _attacked(lenet: TorchModule, x: Tensor, classes: Tensor) -> Tensor:
    """Return inputs five steps towards an error, within linf 0.2: where the loss hardly changes, nobody is to blame."""
    changed = x
    for _ in range(5):
        _, slopes, _ = lenet.gradient(changed, _loss, classes)
        moved = changed + 0.05 * slopes.sign()
        changed = torch.minimum(torch.maximum(moved, x - 0.2), x + 0.2).clamp(0, 1)
    return changed


def _loss(seen: Observation, classes: Tensor) -> Tensor:
    return cross_entropy(seen.logits, classes, reduction="none")


def _gigabytes(program: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        return measured(program, folder)[-1]
