"""What a score measures and what a try does, in words from the methods' own descriptions."""

from dataclasses import fields, is_dataclass

from unnerve.core.errors import UserError
from unnerve.core.naming.catalogue import build, find
from unnerve.reports.parts.names import printable
from unnerve.studies.rank.settings import RankingTrial

__all__ = ["perturbation_words", "score_words"]


def perturbation_words(trial: RankingTrial) -> str:
    """Return what one try does: the perturbation's own description and its settings."""
    name = printable(trial.perturbation)
    try:
        method = build("perturbation", trial.perturbation)
    except UserError:
        return f"the perturbation {name}"
    chosen = {field.name: getattr(method, field.name) for field in fields(method)} if is_dataclass(method) else {}
    doing = _summary(method)
    for setting, value in chosen.items():
        doing = doing.replace(f"``{setting}``", str(value))
    settings = ", ".join(f"{setting} = {value}" for setting, value in chosen.items())
    doing = doing.replace("``", "")
    words = f"the perturbation {name}" + (f" ({settings})" if settings else "")
    return f"{words}: {doing}" if doing else words


def score_words(score: str) -> str:
    """Return what a score measures; empty if it does not say."""
    try:
        return _summary(find("score", score.partition(":")[0]))
    except UserError:
        return ""


def _summary(method: object) -> str:
    """Return the first line of a method's description, fit to stand within a sentence."""
    line = (method.__doc__ or "").strip().partition("\n")[0].rstrip(".")
    return printable(line[:1].lower() + line[1:])
