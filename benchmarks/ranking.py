"""Ranking and its proof against the bare forward pass; memory of a large ranking; start-up time of the command."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from benchmarks.memory import measured
from benchmarks.pairs import bare_forward, ratio
from benchmarks.scene import network
from unnerve.core.naming.catalogue import build
from unnerve.studies.rank.perturbed_copies import Draws, perturbed_answers
from unnerve.studies.rank.scored import scored
from unnerve.subjects.data import examples

_MILLION = """
import sys
from unnerve.studies.rank.rank import rank
ranking = rank("zoo:lenet1", f"npz:{sys.argv[1]}")
ranking.save(sys.argv[2])
assert len(ranking) == 1_000_000
"""


def rank_ratio() -> float:
    """Throughput of `rank` relative to the bare forward loop over the same inputs, LeNet-5."""
    lenet, digits = network(), examples("mnist5k")
    bare = bare_forward(lenet.module.eval(), digits.batch(range(len(digits))).inputs)
    return ratio(lambda: scored(lenet, digits, {"pd": build("score", "pd")}), bare, rounds=25)


def eff_ratio() -> float:
    """Throughput of Eff (100 patches an input: drawn, made, predicted) relative to the bare forward loop, LeNet-5."""
    lenet, digits = network(), examples("mnist5k")
    inputs, tries = 100, 100
    bare = bare_forward(lenet.module.eval(), digits.batch(range(inputs)).inputs.repeat(tries, 1, 1, 1))
    draws = Draws(build("perturbation", "patch"), seed=0, step=0, tries=tries)
    return ratio(lambda: list(perturbed_answers(lenet, digits, range(inputs), draws)), bare)


def million_gigabytes() -> float:
    """Peak memory, in GiB, of ranking 1,000,000 inputs of 1x28x28 from disk in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.npz"
        digits = examples("mnist5k").batch(range(1000)).inputs.mul(255).to(torch.uint8).numpy()
        np.savez(path, x=np.tile(digits, (1000, 1, 1, 1)))
        return measured(_MILLION, folder, str(path), str(Path(folder) / "ranking.parquet"))[-1]


def help_seconds() -> float:
    """CPU seconds of `unnerve --help`, best of five."""
    command = [str(Path(sys.executable).with_name("unnerve")), "--help"]
    seconds = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(seconds)
