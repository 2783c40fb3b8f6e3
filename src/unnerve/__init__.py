"""unnerve finds the inputs that unnerve a neural network, says why, and helps to mend it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unnerve.studies.arena import arena
    from unnerve.studies.cover import cover, profile
    from unnerve.studies.evaluate_ranking import evaluate_ranking
    from unnerve.studies.hunt import hunt
    from unnerve.studies.rank import rank
    from unnerve.subjects.data import examples
    from unnerve.subjects.dropout import with_dropout
    from unnerve.subjects.models import model

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "arena",
    "cover",
    "evaluate_ranking",
    "examples",
    "hunt",
    "model",
    "profile",
    "rank",
    "with_dropout",
]

_HOMES = {
    "arena": "unnerve.studies.arena",
    "cover": "unnerve.studies.cover",
    "evaluate_ranking": "unnerve.studies.evaluate_ranking",
    "examples": "unnerve.subjects.data",
    "hunt": "unnerve.studies.hunt",
    "model": "unnerve.subjects.models",
    "profile": "unnerve.studies.cover",
    "rank": "unnerve.studies.rank",
    "with_dropout": "unnerve.subjects.dropout",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import unnerve`` and ``unnerve --help`` do not wait for torch."""
    if name not in _HOMES:
        raise AttributeError(f"module 'unnerve' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
