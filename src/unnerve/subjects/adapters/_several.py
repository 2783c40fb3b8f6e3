"""Which of a model's several outputs is its answer; where two could be, the user says it."""

from collections.abc import Mapping

import numpy as np
from torch import Tensor

from unnerve.core.errors import InvalidModel

__all__ = ["the_answer"]

_NAMES = ("logits", "probabilities", "probs")
"""Names under which an answer is known at once."""


def the_answer(output: object, which: str | None, rows: int, model_name: str) -> object:
    """Return the part of an output that is the answer.

    A single array is the answer itself. Of a dict or an object with fields it is ``logits``, ``probabilities`` or
    ``probs``; otherwise, as of a tuple, the only array of shape (rows, classes), or the first of several that are
    alike, such as a main and an auxiliary head.

    Parameters
    ----------
    output : object
        What the model returned.
    which : str or None
        The name or the number of the output that the user chose.
    rows : int
        How many inputs there were.
    model_name : str
        For errors.
    """
    parts = _parts(output)
    if parts is None:
        if which is not None:
            raise InvalidModel(f"{model_name} has one output, so --outputs cannot choose '{which}'")
        return output
    if which is not None:
        if which not in parts:
            raise InvalidModel(f"{model_name} has no output '{which}'; it has {_listed(parts)}")
        return parts[which]
    fitting = {name: part for name, part in parts.items() if _fits(part, rows)}
    # Logits before probabilities, where a model returns both: from them nothing is lost to rounding.
    known = next((name for name in _NAMES if name in fitting), None)
    if known is not None:
        return fitting[known]
    if not fitting:
        raise InvalidModel(f"{model_name}: output must have shape ({rows}, classes), got {_listed(parts)}")
    first, shapes = next(iter(fitting)), {_shape(part) for part in fitting.values()}
    if len(shapes) > 1 or (len(fitting) > 1 and not isinstance(output, tuple | list)):
        raise InvalidModel(
            f"{model_name} returns {_listed(fitting)}, and each could be the answer; say which: --outputs {first}:auto"
        )
    return fitting[first]


def _parts(output: object) -> dict[str, object] | None:
    """Return several outputs by name or number; None for a single one."""
    if isinstance(output, Mapping):
        return {str(name): part for name, part in output.items()}
    if isinstance(output, tuple) or (isinstance(output, list) and any(len(_shape(part)) > 1 for part in output)):
        return {str(number): part for number, part in enumerate(output)}
    found = {name: getattr(output, name) for name in _NAMES if hasattr(output, name)}
    return found or None


def _fits(part: object, rows: int) -> bool:
    shape = _shape(part)
    if len(shape) != 2 or shape[0] != rows:
        return False
    return part.is_floating_point() if isinstance(part, Tensor) else np.asarray(part).dtype.kind == "f"


def _shape(part: object) -> tuple[int, ...]:
    return tuple(part.shape) if isinstance(part, Tensor | np.ndarray) else ()


def _listed(parts: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {_shape(part) or type(part).__name__}" for name, part in parts.items()) or "nothing"
