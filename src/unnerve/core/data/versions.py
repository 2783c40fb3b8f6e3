"""What decides how numbers are rounded: versions, and the kind of processor."""

import platform
from collections.abc import Mapping

import numpy as np
import torch

import unnerve

__all__ = ["other_versions", "versions"]


def versions() -> dict[str, str]:
    """Return the versions of unnerve, torch and numpy, the kind of processor, and which of its instructions are used.

    Identical findings are promised only where all of these are the same.
    """
    return {
        "unnerve": unnerve.__version__,
        "torch": str(torch.__version__),
        "numpy": np.__version__,
        "processor": platform.machine(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
    }


def other_versions(noted: Mapping[str, str]) -> str | None:
    """Say which versions differ from those that were noted; None if all are the same."""
    now = versions()
    other = [f"{name} {noted.get(name, 'unknown')}, now {now[name]}" for name in now if noted.get(name) != now[name]]
    return f"it was begun with other versions ({'; '.join(other)}), and answers may round otherwise" if other else None
