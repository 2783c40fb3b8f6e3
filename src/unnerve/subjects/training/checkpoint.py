"""The state of a training run after an epoch, as one file without code in it: tensors and JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.storage.files import whole_file

__all__ = ["Checkpoint", "RunState"]


@dataclass(frozen=True, eq=False)
class RunState:
    """What changes while a module is trained.

    Parameters
    ----------
    module : nn.Module
    optimiser : Optimizer
    order : Generator
        Draws the order of the examples.
    """

    module: nn.Module
    optimiser: torch.optim.Optimizer
    order: torch.Generator

    def tensors(self) -> dict[str, Tensor]:
        """Return everything that decides how training goes on, torch's global generator included."""
        slots = {
            f"optimiser.{row}.{name}": torch.as_tensor(value)
            for row, slot in self.optimiser.state_dict()["state"].items()
            for name, value in slot.items()
            # SGD without momentum keeps None in place of a buffer.
            if value is not None
        }
        weights = {f"module.{name}": tensor for name, tensor in self.module.state_dict().items()}
        states = {"order": self.order.get_state(), "generator": torch.get_rng_state()}
        found = {**weights, **slots, **states}
        # Copies: tensors that share their memory, as tied weights do, cannot be written.
        return {name: tensor.detach().cpu().contiguous().clone() for name, tensor in found.items()}

    def load(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what :meth:`tensors` returned."""
        self.module.load_state_dict(_below("module", tensors))
        slots: dict[int, dict[str, Tensor]] = {}
        for name, tensor in _below("optimiser", tensors).items():
            row, _, slot = name.partition(".")
            slots.setdefault(int(row), {})[slot] = tensor
        # Groups (rates, momentum) come from the recipe, which is the same; only what was learnt is read.
        self.optimiser.load_state_dict(self.optimiser.state_dict() | {"state": slots})
        self.order.set_state(tensors["order"])
        torch.set_rng_state(tensors["generator"])


@dataclass(frozen=True)
class Checkpoint:
    """Where a run keeps its state after each epoch, and what it is a run of.

    Parameters
    ----------
    path : Path
        Replaced whole after each epoch.
    run : dict
        JSON that tells this run from others: network, data, recipe.
    """

    path: Path
    run: Mapping[str, Any]

    def save(self, state: RunState, epochs: list[list[float]]) -> None:
        """Write the state and the figures of the epochs that are done: the whole file or none."""
        data = save(state.tensors(), metadata={"run": json.dumps(self.run), "epochs": json.dumps(epochs)})
        with whole_file(self.path) as part:
            part.write_bytes(data)

    def restore(self, state: RunState) -> list[list[float]]:
        """Bring a run to where its file says, and return the figures of its epochs; nothing if there is no file."""
        if not self.path.exists():
            return []
        try:
            with safe_open(str(self.path), framework="pt") as file:
                notes = file.metadata() or {}
                run, epochs = json.loads(notes["run"]), json.loads(notes["epochs"])
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no dictionary
        except (SafetensorError, OSError, KeyError, ValueError) as problem:
            raise InvalidData(f"{self.path}: not a readable checkpoint of a training run: {problem}") from problem
        # As JSON would give it back: tuples are lists there.
        if run != json.loads(json.dumps(self.run)):
            other = next((key for key in self.run if run.get(key) != self.run[key]), "another run")
            raise InvalidSetting(f"{self.path} belongs to another run: its {other} differs")
        try:
            state.load(tensors)
        except (RuntimeError, KeyError, ValueError) as problem:
            raise InvalidData(f"{self.path}: does not fit the network that is trained") from problem
        found: list[list[float]] = epochs
        return found


def _below(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(f"{prefix}."): one for name, one in tensors.items() if name.startswith(f"{prefix}.")}
