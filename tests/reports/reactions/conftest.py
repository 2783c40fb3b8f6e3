"""Reactions made by hand; no network is asked."""

import pytest
import torch
from torch import Tensor

from unnerve.core.neurons import Layer, NeuronMap
from unnerve.measure.reactions.sensitivity import Sensitivity
from unnerve.studies.react.result import Reacted, Reactions


def row(*values: float) -> Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.fixture
def found() -> Reactions:
    """Return ten pairs of pgd and four of tour over five neurons in two layers."""
    return Reactions(
        model="zoo:tiny",
        campaign="runs/a",
        reaction={"name": "sensitivity", "scale": "spread", "signed": False},
        words=Sensitivity().words,
        threshold=0.5,
        neurons=NeuronMap((Layer("conv", 0, 3), Layer("dense", 3, 2)), "deepxplore"),
        methods={
            "pgd": Reacted(10, row(9, 1, 2, 30, 0), row(10, 0, 2, 10, 0), row(1, 1, 1, 1, 1), row(0, 0, 1, 0, 0), 1),
            "tour": Reacted(4, row(8, 0, 0, 1, 4), row(4, 0, 0, 0, 4), row(0, 0, 0, 0, 0), row(0, 0, 0, 0, 0), 0),
        },
        nothing=("random",),
        top=2,
        seconds=1.5,
    )
