"""Parameters and neurons of the papers' networks, as the papers count them; random weights suffice."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch

from unnerve.papers._parts import Part
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model

__all__ = ["CountsPlan", "NetworkSize", "NeuronCounts", "counts_part", "counts_table"]

# Shape of an input; parameters and neurons in Table 1 of both papers (NIN: Table 1 of KuK, which prints neurons only).
_PRINTED: dict[str, tuple[tuple[int, ...], int | None, int]] = {
    "lenet1": ((1, 28, 28), 7_206, 52),
    "lenet4": ((1, 28, 28), 69_362, 148),
    "lenet5": ((1, 28, 28), 107_786, 268),
    "resnet20": ((3, 32, 32), 273_066, 1_882),
    "vgg16": ((3, 32, 32), 33_663_070, 12_426),
    "nin": ((3, 32, 32), None, 1_418),
    "mobilenet": ((3, 224, 224), 4_231_976, 38_904),
    "resnet50": ((3, 224, 224), 25_583_592, 94_059),
}


@dataclass(frozen=True)
class CountsPlan:
    """Which networks are counted, with inputs of which shape."""

    experiment: str
    networks: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class NetworkSize:
    """Parameters and neurons of a network; ``filter`` is the rule by which its layers count."""

    parameters: int
    neurons: int
    filter: str


@dataclass(frozen=True)
class NeuronCounts:
    """What was counted, by network."""

    plan: CountsPlan
    rows: Mapping[str, NetworkSize]

    def spreads(self) -> dict[str, Interval]:
        """Return the counts, which have no spread at all."""
        return {f"{name}, neurons": Interval(*[float(size.neurons)] * 3) for name, size in self.rows.items()}


def counts_part() -> Part[NeuronCounts]:
    """Return the counting as a part of a reproduction."""
    plan = CountsPlan("counts", {name: shape for name, (shape, _, _) in _PRINTED.items()})
    return Part("counts", plan, NeuronCounts, lambda: NeuronCounts(plan, _counted(plan)), (1,))


def counts_table(result: NeuronCounts) -> Table:
    """Return Table 1: what was counted, the printed figures in parentheses."""
    rows = []
    for name, size in result.rows.items():
        _, parameters, neurons = _PRINTED[name]
        printed = "" if parameters is None else f" ({parameters:,})"
        rows.append((name, size.filter, f"{size.parameters:,}{printed}", f"{size.neurons:,} ({neurons:,})"))
    return Table(
        "Table 1: parameters and neurons (printed)", ("network", "filter", "parameters", "neurons"), tuple(rows)
    )


def _counted(plan: CountsPlan) -> dict[str, NetworkSize]:
    sizes = {}
    for name, shape in plan.networks.items():
        subject = model(f"zoo:{name}?random")
        assert isinstance(subject, TorchModule)
        neurons = subject.neuron_map(torch.zeros(1, *shape))
        parameters = sum(one.numel() for one in subject.module.parameters())
        sizes[name] = NetworkSize(parameters, len(neurons), neurons.chosen_by)
    return sizes
