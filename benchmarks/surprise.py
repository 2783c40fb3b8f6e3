"""Surprise against dnn-tip, on the same values of LeNet-5's neurons; one thread, CPU time."""

import time
import warnings
from collections.abc import Callable

import numpy as np
from dnn_tip import surprise

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.core.methods import Score
from unnerve.core.model import Want
from unnerve.core.traces import Traces
from unnerve.measure.scores.dsa import dsa
from unnerve.measure.scores.lsa import lsa
from unnerve.subjects.data import examples

Theirs = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], object]


def dsa_speed_up() -> float:
    """Return how much faster distance-based surprise is."""
    return _speed_up(dsa, 1000, lambda a, p, x, y: surprise.DSA(a, p, subsampling=1.0)(x, y))


def lsa_speed_up() -> float:
    """Return how much faster likelihood-based surprise is, by class in both."""
    return _speed_up(lsa, 4000, lambda a, p, x, y: surprise.MultiModalSA.build_by_class(a, p, _kernels)(x, y))


def _kernels(activations: np.ndarray, predictions: np.ndarray) -> surprise.LSA:
    # Without noise dnn-tip refuses neurons that go together; and it knows no class without them.
    rng = np.random.default_rng(0)
    return surprise.LSA(activations + rng.normal(scale=1e-2, size=activations.shape))


def _speed_up(ours: Score, count: int, theirs: Theirs) -> float:
    lenet, digits = network(), examples("mnist5k")
    train, test = digits.batch(range(count)), digits.batch(range(4000, 4000 + count // 4))
    known, seen = (lenet.observe(one.inputs, Want.NEURONS) for one in (train, test))
    values = [one.numpy() for one in (known.neurons, known.predicted, seen.neurons, seen.predicted)]
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Fresh traces every time: what ours fits once for a data set, theirs fits too.
        return ratio(
            lambda: ours(seen.neurons, seen.predicted, Traces(known.neurons, known.predicted)),
            lambda: theirs(*values),
            rounds=2,
            clock=time.process_time,
        )
