"""Natural changes against the bare forward pass; one thread, CPU time."""

import time

from benchmarks.pairs import bare_forward, one_thread, ratio, repeated
from benchmarks.scene import network
from unnerve.core.streams import Streams
from unnerve.studies.corrupt.corrupt import corrupt
from unnerve.subjects.datasets.tensors import tensors


def resnet20_ratio() -> float:
    """Throughput of all 15 changes at two severities, changing and judging, relative to as many bare passes."""
    subject = network("zoo:resnet20?random")
    inputs = Streams(0, map(str, range(128))).uniform(0, 0, (3, 32, 32))
    data = tensors(inputs)
    with one_thread():
        bare = bare_forward(subject.module.eval(), inputs, time.process_time)
        ours = lambda: corrupt(subject, data, severities="2,4")  # noqa: E731 - named like its rival
        return ratio(ours, repeated(bare, 31), rounds=2, clock=time.process_time)
