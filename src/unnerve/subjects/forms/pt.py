"""``FILE.pt``: a TorchScript program."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Declaration, Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["PT"]


@dataclass(frozen=True)
class PT:
    """A program saved by ``torch.jit.save``: answers and gradients, no neurons and no dropout."""

    shown: ClassVar[str] = "FILE.pt"
    also: ClassVar[tuple[str, ...]] = ("pth", "ts")

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Load the program as a module."""
        path = model_file(place, options)
        try:
            scripted: nn.Module = torch.jit.load(str(path), map_location="cpu")
        except Exception as problem:
            kind = "as TorchScript (weights alone go to --weights)"
            raise InvalidModel(f"{path}: must be a model saved {kind}, but it cannot be read so") from problem
        return Opened(scripted, Declaration("TorchScript program"))
