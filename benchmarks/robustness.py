"""CLEVER against ART's: LeNet-5, all nine targets, as many fresh points, fits included; one thread, CPU time."""

import time
import warnings
from importlib import import_module

from torch import nn

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.measure.robustness.clever import Clever
from unnerve.subjects.data import examples

__all__ = ["clever_ratio"]

_INPUTS = 1


def clever_ratio() -> float:
    """Return how fast our scores are made, relative to ART's, at the default 50 batches of 128 points."""
    lenet, batch, clever = network(), examples("mnist5k").batch(range(_INPUTS)), Clever()
    made = import_module("art.estimators.classification").PyTorchClassifier
    theirs = made(lenet.module, nn.CrossEntropyLoss(), (1, 28, 28), 10, clip_values=(0.0, 1.0))
    scored = import_module("art.metrics").clever_u

    def peer() -> None:
        for digit in batch.inputs.numpy():
            # ART draws its batches from a pool, whose size is so many times a batch; by default ten times, so that
            # points repeat in the batches, and the maxima that are fitted are not independent. Here it has as many
            # points as we take.
            pool = clever.batches
            scored(theirs, digit, pool, clever.samples, clever.radius, norm=2, pool_factor=pool, verbose=False)

    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ART's own, of other packages
        return ratio(lambda: clever.scores(lenet, batch), peer, rounds=2, clock=time.process_time)
