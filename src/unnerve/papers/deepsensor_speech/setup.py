"""What the experiments on speech are run on: clips of many speakers, however few of them are taken."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.subjects.data import examples

__all__ = ["CLIPS", "SpeechExperiment", "begun", "in_turn"]

CLIPS = "speech/audiomnist_16k.npz"
"""In the data folder."""


@dataclass(frozen=True)
class SpeechExperiment(Experiment):
    """An experiment on clips that are read speaker by speaker in turn."""

    def split(self, name: str) -> Examples:
        """Read ``train`` or ``test``."""
        return in_turn(examples(f"speech:{self.data / self.setup.data}", split=name))


def in_turn(clips: Examples) -> Examples:
    """Return one clip of each speaker, then another one of each, and so on.

    The file has all clips of a speaker one after the other: its first sixty test clips are of six speakers, its first
    400 training clips of twenty, and a network trained on these would not be overfitted but know no other speaker.
    """
    labels = clips.label_array()
    assert labels is not None
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], labels[order])
    turns = np.empty(len(labels), dtype=np.int64)
    turns[order] = np.arange(len(labels)) - starts
    return clips.take(np.lexsort((labels, turns)).tolist())


def begun(plan: FaultPlan, data: Path, folder: Path) -> Experiment:
    """Return the experiment with its network, which is trained when it is asked for."""
    return plan.begun(data, folder, SpeechExperiment)
