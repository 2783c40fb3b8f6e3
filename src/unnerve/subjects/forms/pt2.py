"""``FILE.pt2``: a program saved by ``torch.export``."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.exported.opening import opened_program
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._archives import Untrusted
from unnerve.subjects.forms._exported_check import check_exported
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["PT2"]


@dataclass(frozen=True)
class PT2:
    """A program saved by ``torch.export.save``: all that the module it was made of can do.

    Its operations are the layers, so that functional calls and additions have neurons too. A program that was exported
    for a fixed number of inputs is freed from it where that leaves its answers as they are; else it is run with so many
    inputs at a time, without neurons and dropout.
    """

    shown: ClassVar[str] = "FILE.pt2"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Load the program as a module."""
        path = model_file(place, options)
        try:
            if not options.trust:
                check_exported(path)
            exported = torch.export.load(path)
        except Untrusted as problem:
            raise problem.error(path) from problem
        except Exception as problem:
            raise InvalidModel(f"{path}: must be a model saved by torch.export, but it cannot be read so") from problem
        program = opened_program(exported, place)
        note = f", {program.note}" if program.note else ""
        declared = Declaration(f"program of torch.export{note}", shape=program.shape, batch=program.batch)
        return Opened(program.module, declared)
