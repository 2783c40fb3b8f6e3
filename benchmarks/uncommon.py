"""A generation of KuK's search, and detection by mutants, against plain loops; one thread, CPU time."""

import time
from collections.abc import Sequence

import torch
from torch import nn

from benchmarks.dropout import _DENSE, _POOLS, _RATE, _with_layers
from benchmarks.pairs import bare_forward, one_thread, ratio, repeated
from benchmarks.scene import network
from unnerve.core.findings import Seeds
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.objectives.uncommon import Uncommon
from unnerve.generate.regions.linf import Linf
from unnerve.mend.defences.mutation import Mutation
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout

_POPULATION, _DRAWS = 100, 50


def kuk_dense_ratio() -> float:
    """Rate 100 candidates x T = 50 with dropout before the last two dense layers, relative to plain passes."""
    return _generation(_DENSE)


def kuk_pools_ratio() -> float:
    """Rate the same with dropout after each pooling and before the output."""
    return _generation(_POOLS)


def mutation_ratio() -> float:
    """Detect on 500 clean and 500 noisy digits with 500 mutants, relative to a loop of whole passes over mutants."""
    lenet, data = network(), examples("mnist5k")
    detector = Mutation(mutants=500).calibrated(Subject(lenet), data.take(range(4500, 4800)))
    clean = data.batch(range(500)).inputs
    noise = Streams(0, ["noise"]).normal(0, 0, tuple(clean.shape))[0]
    x = torch.cat([clean, (clean + 0.5 * noise).clamp(0, 1)])

    def loop() -> None:
        with torch.no_grad():
            for number in detector.chosen:
                detector._mutant(Subject(lenet), number).module(x).argmax(dim=1)

    with one_thread():
        return ratio(lambda: detector.suspicion(Subject(lenet), x), loop, rounds=3, clock=time.process_time)


def _generation(places: Sequence[str]) -> float:
    lenet: TorchModule = network()
    model = with_dropout(lenet, _RATE, places)
    batch = examples("mnist5k").batch([0])
    metered = Metered(model, Meter(1))
    seeds = Seeds(batch, metered.of(torch.zeros(1, dtype=torch.int64)).observe(batch.inputs))
    candidates = Linf(0.3).samples(batch.inputs, Streams(0, batch.ids), 0, _POPULATION)
    # A limit that every candidate meets: draws are asked for, as in most generations.
    fitness = Uncommon("HH", confidence=0.001, masks=_DRAWS).prepare(Subject(metered), seeds)
    plain = nn.Sequential(*_with_layers(lenet.module, places))
    with one_thread():
        # A plain implementation: one pass without dropout and T with it, of all candidates.
        loop = repeated(bare_forward(plain, candidates[0]), 1 + _DRAWS)
        return ratio(lambda: fitness(candidates, torch.tensor([0])), loop, rounds=7, clock=time.process_time)
