"""By what a stored cell was made: without that nobody can say why another one differs."""

import platform
import subprocess
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import torch

import unnerve

__all__ = ["Made", "made"]


@dataclass(frozen=True)
class Made:
    """What made a result.

    Parameters
    ----------
    commit : str
        Of the source, ``-dirty`` if it was changed since; empty if the package is not run from its repository.
    versions : dict of str to str
        Of unnerve, Python, torch and numpy.
    threads : int
        That torch may use: sums have another order with another number.
    seconds : float
    """

    commit: str
    versions: dict[str, str]
    threads: int
    seconds: float


def made(seconds: float) -> Made:
    """Return what makes results here and now."""
    installed = {name: version(name) for name in ("torch", "numpy")}
    versions = {"unnerve": unnerve.__version__, "Python": platform.python_version(), **installed}
    return Made(_commit(), versions, torch.get_num_threads(), round(seconds, 1))


@cache
def _commit() -> str:
    here = Path(unnerve.__file__).parent
    # An installed package may lie in somebody else's repository, whose commit would say nothing of it.
    if _git(here, "ls-files", "--error-unmatch", "__init__.py") is None:
        return ""
    return _git(here, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") or ""


def _git(folder: Path, *words: str) -> str | None:
    try:
        # Our own words only, to whatever git the user has.
        ran = subprocess.run(  # noqa: S603
            ["git", *words],  # noqa: S607
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return ran.stdout.strip() if ran.returncode == 0 else None
