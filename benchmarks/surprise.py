"""Surprise against dnn-tip, on the same values of LeNet-5's neurons; one thread, CPU time."""

import time
import warnings
from collections.abc import Callable

import numpy as np
from dnn_tip import surprise
from torch import Tensor

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import network
from unnerve.core.methods import Score
from unnerve.core.model import Observation, Want
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.dsa import dsa
from unnerve.measure.scores.lsa import lsa
from unnerve.subjects.data import examples

Theirs = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], object]


def dsa_speed_up() -> float:
    """Return how much faster distance-based surprise is."""
    return _speed_up(dsa, 1000, lambda a, p, x, y: surprise.DSA(a, p, subsampling=1.0)(x, y))


def lsa_speed_up() -> float:
    """Return how much faster likelihood-based surprise is, by class in both, of 40,000 and 10,000 inputs.

    Fitting takes half of ours and a fiftieth of theirs: of fewer inputs it is most of the time in both.
    """
    return _speed_up(lsa, 4000, lambda a, p, x, y: surprise.MultiModalSA.build_by_class(a, p, _kernels)(x, y), 10, 1e-2)


def _kernels(activations: np.ndarray, predictions: np.ndarray) -> surprise.LSA:
    return surprise.LSA(activations)


def _speed_up(ours: Score, count: int, theirs: Theirs, copies: int = 1, noise: float = 0) -> float:
    lenet, digits = network(), examples("mnist5k")
    train, test = digits.batch(range(count)), digits.batch(range(4000, 4000 + count // 4))
    known, seen = (_several(lenet.observe(one.inputs, Want.NEURONS), copies, noise) for one in (train, test))
    values = [one.numpy() for one in (*known, *seen)]
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # Fresh traces every time: what ours fits once for a data set, theirs fits too.
        return ratio(
            lambda: ours(*seen, Traces(*known)),
            lambda: theirs(*values),
            rounds=2,
            clock=time.process_time,
        )


def _several(seen: Observation, copies: int, noise: float) -> tuple[Tensor, Tensor]:
    """Return neurons and answers of each input several times, each a little off, for there are 5,000 digits only.

    Without some noise of one size dnn-tip's kernels refuse neurons that go together or never move; both get the same.
    """
    neurons = seen.neurons.repeat(copies, 1)
    normal = Streams(0, ["traces"]).normal(0, 0, tuple(neurons.shape))[0]
    spread = (0.05 * neurons.std(dim=0)).square().add(noise**2).sqrt()
    return neurons + spread * normal, seen.predicted.repeat(copies)
