"""Giving a model dropout, to ask how sure it is."""

from collections.abc import Sequence
from typing import Any

from unnerve.core.data.openings import Opening, noted
from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.models import model as as_model

__all__ = ["with_dropout"]


def with_dropout(model: Any, rate: float, places: Sequence[str] | None = None) -> TorchModule:
    """Return the same model, with dropout at this rate when it is asked for draws.

    Answers, gradients and neurons stay as they are, and so does the module itself.

    Parameters
    ----------
    model : anything that ``unnerve.model`` takes
        If it is, or makes, an ``nn.Module``.
    rate : float
        Share of units that are dropped, in ``(0, 1)``.
    places : sequence of str, optional
        Layers after which units are dropped, as patterns (``pool*``; ``relu#2`` for its second call), or before which
        (``before:fc``). By default where the network has dropout of its own, with this rate instead of its own; if it
        has none, after every pooling or stage and before the classifier.

    Returns
    -------
    TorchModule

    Examples
    --------
    >>> import unnerve
    >>> dropping = unnerve.with_dropout("zoo:lenet5", 0.4, ["pool*"])
    >>> unnerve.rank(dropping, "mnist5k", "vr").order[:10]
    """
    dropout = Dropout(rate, None if places is None else tuple(places))
    subject = as_model(model)
    if not isinstance(subject, TorchModule):
        raise InvalidModel(f"dropout can only be given to an nn.Module, and {subject.name} is none")
    return noted(subject.dropping(dropout), Opening())  # no name leads to it
