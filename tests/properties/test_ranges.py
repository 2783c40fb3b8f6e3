"""A network breaks on the same seeds whatever the range of its values."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from torch import Tensor, nn

from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, find, names
from unnerve.core.naming.specification import specification
from unnerve.core.pools import scope
from unnerve.studies.campaign.export import export
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model

METHODS = [
    ("apgd:steps=10", "linf", 0.1),
    ("bim", "linf", 0.1),
    ("carlini_wagner:steps=40,searches=2,constant=1,step=0.05", "l2", 3.0),
    ("class_tour:steps=30", "linf", 0.1),
    ("class_tour:steps=30", "l2", 1.5),
    ("deepfool", "linf", 0.1),
    ("deepfool", "l2", 1.5),
    ("deepsensor:particles=10,iterations=6", "linf", 0.3),
    ("deepsensor:particles=10,iterations=6,scale=eq1,threshold=0.02", "linf", 0.5),
    ("deepsensor_excitable:particles=8,iterations=4", "linf", 0.3),
    ("fgsm", "linf", 0.15),
    ("fgsm:lengths=4", "l2", 2.0),
    ("gaussian:deviation=0.5,iterations=30", "linf", 0.6),
    ("guided:search=pso(particles=20,iterations=10)", "linf", 0.2),
    ("guided:search=pso(particles=20,iterations=10,start=random)", "linf", 0.3),
    ("guided:search=genetic(population=20,iterations=8,mutation=0.05)", "linf", 0.4),
    ("guided:search=differential_evolution(population=20,iterations=8)", "linf", 0.5),
    ("guided:search=random(population=20,iterations=4)", "linf", 0.6),
    ("guided:search=pso(particles=20,iterations=10),encoding=patch", "linf", 1.0),
    ("jsma", "l0", 0.05),
    ("jsma:change=0.3", "l2", 3.0),
    ("patch:size=6,iterations=40", "linf", 1.0),
    ("pgd:steps=20", "linf", 0.1),
    ("pgd:steps=20", "l2", 1.5),
    ("random:iterations=20", "l2", 12.0),
    ("random:iterations=20", "l0", 0.3),
    ("square:iterations=60", "linf", 0.2),
    ("square:iterations=60", "l2", 3.0),
    ("tensorfuzz:mutants=20", "linf", 0.8),
]
NAMED = {specification(method).name for method, _, _ in METHODS}
OTHERS = [
    (f"{name}:{settings}", "semantic", 5.0) if name == "natural" else (f"{name}:{settings}", "linf", 0.4)
    for name in names("hunter")
    if name not in {*NAMED, "foreign"}
    for settings in getattr(find("hunter", name), "small", ("",))
]
"""Hunters that came later, with the settings that they state themselves."""
SEEDS, QUERIES = 16, 400


class Stretched(nn.Module):
    """A network that was trained on values in [0, 1], and takes those of another range."""

    def __init__(self, net: nn.Module, held: ValueRange) -> None:
        super().__init__()
        self.net, (self.low, self.high) = net, held

    @property
    def neurons_inside(self) -> nn.Module:
        return self.net

    def forward(self, x: Tensor) -> object:
        return self.net((x - self.low) / (self.high - self.low))


def step(facade: nn.Module, inputs: Tensor, labels: Tensor, radius: float) -> Tensor:
    """Attack as a user's own function would."""
    x = inputs.clone().requires_grad_(True)
    nn.functional.cross_entropy(facade(x), labels).backward()
    assert x.grad is not None
    low, high = inputs.aminmax()
    return (inputs + radius * x.grad.sign()).clamp(low, high)


def broken(method: Any, kind: str, size: float, held: ValueRange, folder: Path) -> set[str]:
    """Return the seeds that a hunt breaks whose data, and network, know values of a range."""
    low, high = held
    digits = examples("mnist5k", limit=60).batch(range(60))
    values = (digits.inputs * (high - low) + low).clamp_(low, high)
    data = replace(tensors(values, digits.labels), value_range=held)
    net = Stretched(vars(model("zoo:lenet5"))["module"], held)
    # A share of the values and a severity are the same in every range.
    region = {"l0": f"l0:{size}", "semantic": f"semantic:severity={size}"}.get(kind, f"{kind}:{size * (high - low)}")
    out = str(folder / f"{low}-{high}")
    settings: dict[str, Any] = {"inputs": SEEDS, "stop_at_first": True}
    if isinstance(method, str):
        hunter = build("hunter", method)
        settings["queries"] = QUERIES if scope(hunter) == "pool" else None
        settings["dropout"] = 0.3 if Capability.DROPOUT in hunter.needs else None
    found = hunt(net, data, method, out, region=region, **settings)
    return set(found.findings["seed_id"].to_pylist())


@pytest.mark.parametrize(("method", "kind", "size"), [*METHODS, *OTHERS, (step, "linf", 0.15)])
def test_the_same_seeds_break_whatever_the_range(method: Any, kind: str, size: float, tmp_path: Path) -> None:
    usual = broken(method, kind, size, UNIT, tmp_path)
    assert usual or (method, kind, size) in OTHERS
    for held in ((0.0, 255.0), (-1.0, 1.0)):
        # Rounding may decide about a seed that is on the brink.
        assert len(usual ^ broken(method, kind, size, held, tmp_path)) <= 1, held


def test_quantised_findings_are_levels_of_the_range(tmp_path: Path) -> None:
    digits = examples("mnist5k", limit=40).batch(range(40))
    for low, high in (UNIT, (0.0, 255.0), (-1.0, 1.0)):
        data = replace(tensors(digits.inputs * (high - low) + low, digits.labels), value_range=(low, high))
        net = Stretched(vars(model("zoo:lenet5"))["module"], (low, high))
        region = f"linf:{26 / 255 * (high - low)}"
        found = hunt(
            net, data, "pgd:steps=20", str(tmp_path / f"{low}-{high}"), region=region, inputs=10, quantised=True
        )
        inputs, _ = found.tensors()
        levels = (inputs.double() - low) / (high - low) * 255
        assert len(levels)
        assert float((levels - levels.round()).abs().max()) < 1e-4
        files = tmp_path / f"files {low}-{high}"
        assert export(found, files).inexact == 0
        with Image.open(next(files.glob("*.png"))) as image:
            assert np.asarray(image).max() > 200
            assert np.asarray(image).min() < 55
