import math
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest
import torch
from torch import Tensor, nn

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.first_errors import FirstErrors, evenness, first_errors, naturalness
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model

FOUND = FirstErrors(((1, 2), (), (1,), (7,)), ((True, False), (), (True,), (False,)))
ALL = np.arange(4)


def test_seeds_broken_and_kinds_by_hand() -> None:
    assert FOUND.broken == 3
    assert FOUND.kinds.counts.tolist() == [2, 0, 1, 1]
    assert FOUND.kinds.most == 9, "of ten classes one is right"


def test_naturalness_by_hand() -> None:
    assert naturalness(FOUND, ALL) == 0.5
    assert naturalness(FOUND, np.array([0, 2])) == pytest.approx(2 / 3), "of all inputs, not a mean over seeds"
    assert naturalness(FOUND, np.array([1])) is None


def test_evenness_by_hand() -> None:
    # Shares of a half and two quarters: 1.5 bits of the log2(10) that are possible.
    assert evenness(FOUND, ALL) == pytest.approx(1.5 / math.log2(10))
    assert evenness(FOUND, np.array([2])) == 0, "a single class"
    assert evenness(FOUND, np.array([1])) is None
    every = FirstErrors((tuple(range(10)),), ((True,) * 10,))
    assert evenness(every, np.array([0])) == pytest.approx(1)


class _Campaign:
    """What a stored campaign says, with findings that are not in the order in which they were found."""

    def __init__(self) -> None:
        self.tallies = {"it": SimpleNamespace(seeds=[SimpleNamespace(id="a")])}

    def found(self, label: str, columns: object) -> list[pa.Table]:
        late, early = (np.full((1, 8, 8), value, dtype=np.float32) for value in (0.0, 1.0))
        rows = [(9, 1, late), (3, 1, early), (5, 2, late)]
        return [
            pa.Table.from_pylist(
                [
                    {"seed_id": "a", "after": after, "queries": queries, "label": 0}
                    | {"input": image.tobytes(), "shape": list(image.shape), "dtype": "float32"}
                    for queries, after, image in rows
                ]
            )
        ]


class _Bright(nn.Module):
    """Answers 0 for bright images, and 3 for dark ones."""

    def forward(self, x: Tensor) -> Tensor:
        bright = (x.mean(dim=(1, 2, 3)) > 0.5).float()
        return torch.stack([bright, 0 * bright, 0 * bright, 0.5 + 0 * bright], dim=1)


def test_of_several_inputs_of_a_class_it_is_the_first_that_was_found() -> None:
    found = first_errors(_Campaign(), "it", TorchModule(_Bright(), outputs="logits"))  # type: ignore[arg-type]
    assert found == FirstErrors(((1, 2),), ((True, False),)), "bright after three queries, dark after five"


def test_an_input_of_every_class_is_shown_to_another_network(experiment: Experiment) -> None:
    campaign = experiment.campaign("first", {"DLFuzz": "dlfuzz", "none": "random"}, "linf:0.3", queries=200)
    dlfuzz, random = campaign.plan.labels
    found = first_errors(campaign, dlfuzz, model("zoo:lenet4"))
    tally = campaign.tallies[dlfuzz].seeds
    assert found.kinds.counts.tolist() == [len(seed.kinds) for seed in tally]
    assert found.broken > 0
    assert [len(some) for some in found.recognised] == [len(some) for some in found.classes]
    itself = first_errors(campaign, dlfuzz, experiment.model)
    assert naturalness(itself, np.arange(6)) == 0, "errors are what the network itself answers wrongly"
    assert first_errors(campaign, random, experiment.model).recognised.count(()) >= 5
