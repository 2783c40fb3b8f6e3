"""unnerve finds the inputs that unnerve a neural network, says why, and helps to mend it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unnerve.reports.reproduction.repeat_cell import repeat_cell
    from unnerve.reports.reproduction.reproduce import reproduce
    from unnerve.reports.write import report
    from unnerve.studies.campaign.export import export
    from unnerve.studies.corrupt.corrupt import corrupt
    from unnerve.studies.cover.cover import cover, profile
    from unnerve.studies.defend.defend import defend
    from unnerve.studies.diagnose.diagnose import diagnose
    from unnerve.studies.gates.gate import gate
    from unnerve.studies.harden.harden import harden
    from unnerve.studies.hunt.arena import arena
    from unnerve.studies.hunt.hunt import hunt
    from unnerve.studies.inspect.inspect import inspect
    from unnerve.studies.map.map import map  # noqa: A004 - the verb's name
    from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
    from unnerve.studies.rank.rank import rank
    from unnerve.studies.react.react import react
    from unnerve.studies.score.score import score
    from unnerve.studies.train import train
    from unnerve.studies.verify.verify import verify
    from unnerve.subjects.data import examples
    from unnerve.subjects.dropout import with_dropout
    from unnerve.subjects.models import model

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "arena",
    "corrupt",
    "cover",
    "defend",
    "diagnose",
    "evaluate_ranking",
    "examples",
    "export",
    "gate",
    "harden",
    "hunt",
    "inspect",
    "map",
    "model",
    "profile",
    "rank",
    "react",
    "repeat_cell",
    "report",
    "reproduce",
    "score",
    "train",
    "verify",
    "with_dropout",
]

_HOMES = {
    "arena": "unnerve.studies.hunt.arena",
    "corrupt": "unnerve.studies.corrupt.corrupt",
    "cover": "unnerve.studies.cover.cover",
    "defend": "unnerve.studies.defend.defend",
    "diagnose": "unnerve.studies.diagnose.diagnose",
    "evaluate_ranking": "unnerve.studies.rank.evaluate_ranking",
    "examples": "unnerve.subjects.data",
    "export": "unnerve.studies.campaign.export",
    "gate": "unnerve.studies.gates.gate",
    "harden": "unnerve.studies.harden.harden",
    "hunt": "unnerve.studies.hunt.hunt",
    "inspect": "unnerve.studies.inspect.inspect",
    "map": "unnerve.studies.map.map",
    "model": "unnerve.subjects.models",
    "profile": "unnerve.studies.cover.cover",
    "rank": "unnerve.studies.rank.rank",
    "react": "unnerve.studies.react.react",
    "repeat_cell": "unnerve.reports.reproduction.repeat_cell",
    "report": "unnerve.reports.write",
    "reproduce": "unnerve.reports.reproduction.reproduce",
    "score": "unnerve.studies.score.score",
    "train": "unnerve.studies.train",
    "verify": "unnerve.studies.verify.verify",
    "with_dropout": "unnerve.subjects.dropout",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import unnerve`` and ``unnerve --help`` do not wait for torch."""
    if name not in _HOMES:
        raise AttributeError(f"module 'unnerve' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
