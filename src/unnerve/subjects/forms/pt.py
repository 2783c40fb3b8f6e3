"""``FILE.pt``: a TorchScript program."""

import pickle
import warnings
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import torch
from torch import nn

from unnerve.core.errors import InvalidModel
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._archives import Untrusted
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.forms._scripted_check import check_scripted
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions
from unnerve.subjects.weights import pickled

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
            if not options.trust:
                check_scripted(path)
            with warnings.catch_warnings():  # that the format is old helps nobody who has such a file
                warnings.simplefilter("ignore", DeprecationWarning)
                scripted: nn.Module = torch.jit.load(str(path), map_location="cpu")
        except Untrusted as problem:
            raise problem.error(path) from problem
        except Exception as problem:
            raise InvalidModel(_instead(path)) from problem
        return Opened(scripted, Declaration("TorchScript program"))


def _instead(path: Path) -> str:
    """Say what a file that is no TorchScript program holds, as far as that can be told without running code."""
    try:
        torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as problem:
        if zipfile.is_zipfile(path):  # torch takes garbage for a pickle
            return pickled(path, problem)
    except Exception:
        return f"{path}: must be a model saved as TorchScript, but it cannot be read so"
    else:
        return (
            f"{path}: holds weights without the model; name the code that builds it, and give them as --weights: "
            f"FILE.py:build --weights {path}"
        )
    return f"{path}: must be a model saved as TorchScript, but it cannot be read so"
