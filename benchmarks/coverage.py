"""Coverage against the bare forward pass and against dnn-tip; one thread, CPU time."""

import time

import numpy as np
from dnn_tip import neuron_coverage as dnn_tip

from benchmarks.pairs import bare_forward, one_thread, ratio
from benchmarks.scene import network
from unnerve.core.data.examples import Examples
from unnerve.core.model import Observation, Want
from unnerve.core.streams import Streams
from unnerve.measure.coverages.kmnc import KMNC
from unnerve.studies.cover.cover import cover, profile
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.tensors import tensors


def lenet5_cost() -> float:
    """CPU time of all seven criteria, data reading included, relative to the bare forward pass, LeNet-5."""
    return _cost("zoo:lenet5", examples("mnist5k"), rounds=9)


def resnet20_cost() -> float:
    """CPU time of the same for an untrained ResNet-20, on 512 inputs of 3x32x32."""
    inputs = Streams(0, map(str, range(512))).uniform(0, 0, (3, 32, 32))
    return _cost("zoo:resnet20?random", tensors(inputs), rounds=25)


def kmnc_speed_up() -> float:
    """How much faster KMNC with 100 sections is than dnn-tip's, on the same values of LeNet-5's neurons."""
    lenet, digits = network(), examples("mnist5k")
    bounds = profile(lenet, digits.first(1000))
    seen = [lenet.observe(batch.inputs, Want.NEURONS) for batch in digits.batches(1024)]
    values = np.concatenate([one.neurons.numpy() for one in seen])
    theirs = dnn_tip.KMNC([bounds.low.numpy()], [bounds.high.numpy()], 100)

    def ours() -> None:
        state = KMNC(100).begin(bounds.neurons, bounds)
        for one in seen:
            state.update(Observation(one.logits, one.neurons))

    with one_thread():
        return ratio(ours, lambda: theirs([values])[1].any(axis=0), rounds=5, clock=time.process_time)


def _cost(name: str, data: Examples, rounds: int) -> float:
    subject = network(name)
    bounds = profile(subject, data)
    with one_thread():
        bare = bare_forward(subject.module.eval(), data.batch(range(len(data))).inputs, time.process_time)
        return 1 / ratio(lambda: cover(subject, data, bounds), bare, rounds, time.process_time)
