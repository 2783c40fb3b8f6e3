"""Whether a module goes back to train mode while it answers."""

from torch import Tensor, no_grad

from unnerve.core.model import Classifier
from unnerve.core.wrappers.wrapped import Wrapped
from unnerve.subjects.adapters._module_calls import unchanged
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["switches_to_training"]


def switches_to_training(model: Classifier, x: Tensor) -> bool:
    """Say whether a module is in train mode after it answered ``x``, shape (N, ...), in eval mode; False of others."""
    while isinstance(model, Wrapped):
        x, model = model.shown(x), model.model
    if not isinstance(model, TorchModule):
        return False
    module = model.module
    with unchanged(module), no_grad():
        try:
            module(x.clone())
        except Exception:  # what it raises is told where its answers are wanted
            return False
        switched = [part for part in module.modules() if part.training]
        for part in switched:
            part.training = False
    return bool(switched)
