"""Fuzzers: evaluations against bare passes, and DeepHunter's mutations alone; LeNet-5, one thread, CPU time."""

import time
from dataclasses import replace

import torch

from benchmarks.pairs import bare_both, bare_forward, one_thread, ratio
from benchmarks.scene import job, network
from unnerve.campaign.run import run
from unnerve.core.findings import Seeds
from unnerve.core.pools import Pool
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers.deephunter import _COLUMNS, DeepHunter
from unnerve.generate.regions.linf import Linf
from unnerve.studies.cover.cover import profile
from unnerve.subjects.data import examples

_SEEDS, _QUERIES = 50, 200


def tensorfuzz_ratio() -> float:
    """Return evaluations of TensorFuzz per CPU second, judged and metered, relative to the bare forward loop."""
    return _ratio("tensorfuzz", backward=False)


def deephunter_ratio() -> float:
    """Return the same of DeepHunter with 1,000 sections of every neuron."""
    return _ratio("deephunter", backward=False)


def deepxplore_ratio() -> float:
    """Return steps of DeepXplore, on one model, relative to a bare loop of both passes."""
    return _ratio("deepxplore", backward=True)


def dlfuzz_ratio() -> float:
    """Return steps of DLFuzz, likewise."""
    return _ratio("dlfuzz", backward=True)


def mutation_ratio() -> float:
    """Mutants that DeepHunter makes per CPU second, without asking the network, relative to its forward rate."""
    lenet, digits = network(), examples("mnist5k").batch(range(4000))
    work = job(lenet, "deephunter", _SEEDS)
    hunter, context = DeepHunter(), Context(profile=profile(lenet, examples("mnist5k").first(1000)))
    meter = Meter(_SEEDS, None, shared=True)
    seeds = Seeds(work.seeds, lenet.observe(work.seeds.inputs))
    everyone = torch.ones(_SEEDS, dtype=torch.bool)
    pool = Pool(Subject(Metered(lenet, meter), context), seeds, Linf(0.1), Streams(0, ["pool"]), everyone)
    corpus = Corpus(hunter.begin(pool), _COLUMNS)
    chosen = torch.arange(hunter.entries).repeat_interleave(hunter.mutants)

    def ours() -> None:
        for step in range(4000 // len(chosen)):
            hunter._mutated(replace(pool, step=step), corpus, chosen)

    with one_thread():
        return ratio(ours, bare_forward(lenet.module.eval(), digits.inputs, time.process_time), 7, time.process_time)


def _ratio(method: str, *, backward: bool) -> float:
    """Return the throughput of a fuzzer in queries per CPU second, relative to a bare loop of as many passes."""
    lenet, digits = network(), examples("mnist5k").batch(range(_SEEDS * _QUERIES // 2))
    assert digits.labels is not None
    work = job(lenet, method, _SEEDS)
    work = replace(work, plan=replace(work.plan, queries=_QUERIES))
    context = Context(profile=profile(lenet, examples("mnist5k").first(1000)))
    queries = run(work, Subject(lenet, context)).counts().queries
    module, clock = lenet.module.eval(), time.process_time
    with one_thread():
        if backward:
            bare, passes = bare_both(module, digits.inputs, digits.labels, clock), 2 * len(digits)
        else:
            bare, passes = bare_forward(module, digits.inputs, clock), len(digits)
        return ratio(lambda: run(work, Subject(lenet, context)), bare, 5, clock) * queries / passes
