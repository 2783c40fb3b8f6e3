"""Giving a model dropout, to ask how sure it is."""

from collections.abc import Sequence

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Classifier
from unnerve.subjects.adapters.dropout import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["with_dropout"]


def with_dropout(model: Classifier, rate: float, places: Sequence[str] | None = None) -> TorchModule:
    """Return the same model, with dropout at this rate when it is asked for draws.

    Answers, gradients and neurons stay as they are, and so does the module itself.

    Parameters
    ----------
    model : Classifier
        Made of an ``nn.Module``.
    rate : float
        Share of units that are dropped, in ``(0, 1)``.
    places : sequence of str, optional
        Layers after which units are dropped, as patterns (``pool*``; ``relu#2`` for its second call), or before which
        (``before:fc``). By default where the network has dropout of its own, with this rate instead of its own; if it
        has none, after every pooling or stage and before the classifier.

    Returns
    -------
    TorchModule
    """
    if not isinstance(model, TorchModule):
        raise InvalidModel(f"dropout can only be given to an nn.Module, and {model.name} is none")
    return model.dropping(Dropout(rate, None if places is None else tuple(places)))
