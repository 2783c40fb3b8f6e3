"""``FILE.pt2``: a program saved by ``torch.export``."""

from dataclasses import dataclass
from typing import ClassVar

import torch

from unnerve.core.errors import InvalidModel
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._archives import Untrusted
from unnerve.subjects.forms._exported_check import check_exported
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["PT2"]


@dataclass(frozen=True)
class PT2:
    """A program saved by ``torch.export.save``."""

    shown: ClassVar[str] = "FILE.pt2"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Load the program as a module."""
        path = model_file(place, options)
        try:
            if not options.trust:
                check_exported(path)
            return Opened(torch.export.load(path).module(), Declaration("program of torch.export"))
        except Untrusted as problem:
            raise problem.error(path) from problem
        except Exception as problem:
            raise InvalidModel(f"{path}: must be a model saved by torch.export, but it cannot be read so") from problem
