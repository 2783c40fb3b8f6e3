"""Which defences a model and data suit, known before anything is learnt or tested."""

from collections.abc import Sequence
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.detectors import Hardening, Selective, Taught
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, MissingExtra
from unnerve.core.model import Classifier, require
from unnerve.core.wrappers.transformed import Transformed

__all__ = ["UNSUITED", "suited"]

UNSUITED = (InvalidData, InvalidModel, InvalidSetting, MissingExtra)
"""What a defence raises that a model or data do not suit; a model that is out of reach is no defence's reason."""


def suited(
    model: Classifier, named: Sequence[tuple[str, Any]], data: Examples, leave_out: bool
) -> tuple[list[tuple[str, Any]], dict[str, str]]:
    """Return the defences that can be tested, and the reason of each that is left out; without ``leave_out`` raise."""
    fitting, reasons = [], {}
    for text, defence in named:
        try:
            _check(model, text, defence, data)
        except UNSUITED as problem:
            if not leave_out:
                raise
            reasons[text] = problem.command_line
        else:
            fitting.append((text, defence))
    return fitting, reasons


def _check(model: Classifier, text: str, defence: Any, data: Examples) -> None:
    if isinstance(defence, Selective):
        defence.check(model, data)
    if hasattr(defence, "suspicion"):
        require(model, defence.needs, text)
        return
    if isinstance(defence, Hardening):
        return
    if not callable(defence):
        raise InvalidSetting(f"a defence must be a detector, a hardened model or an input transform, got {defence!r}")
    # A transform is tried on one input: what it says of its shape it says then.
    one = data.take([0])
    known: Any = defence.learnt(one) if isinstance(defence, Taught) and defence.untaught else defence
    Transformed(model, known, text, data.value_range).shown(one.batch([0]).inputs)
