"""A model under test as something to train: a copy of it whose answers are logits."""

import copy

from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Classifier
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.normalised import Normalised
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["Trainable", "check_trainable", "own_module", "trainable_copy"]


class Trainable(nn.Module):
    """A module that a training loop can train, whatever it returns and wherever it is: its answers are logits.

    Parameters
    ----------
    model : TorchModule
        Its module is trained itself, not a copy.
    probe : Tensor of shape (N, ...)
        Inputs by whose answers it is settled whether the module returns logits.
    """

    def __init__(self, model: TorchModule, probe: Tensor) -> None:
        super().__init__()
        self.module = model.module
        self._answers = Answers(model.name, model.outputs)
        self._device = next(model.module.parameters()).device
        # Without dropout, for it can make probabilities look otherwise.
        self.eval()
        self(probe)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of inputs (N, ...), shape (N, C)."""
        # While it is trained, the loop looks at every loss instead: once a step is enough.
        read = self._answers.shaped if self.training else self._answers.checked
        return self._answers.logits(read(self.module(x.to(self._device)), x.shape[0])).to(x.device)


def check_trainable(model: Classifier) -> TorchModule:
    """Return the model if it has weights that can be trained, or raise."""
    if not isinstance(model, TorchModule):
        raise InvalidModel(f"{model.name} cannot be trained: only an nn.Module can, without input transforms")
    weights = list(model.module.parameters())
    if not weights:
        raise InvalidModel(f"{model.name} cannot be trained: it has no weights")
    if not any(one.requires_grad for one in weights):
        raise InvalidModel(
            f"{model.name} cannot be trained: all its {len(weights)} weight tensors are frozen (requires_grad=False)"
        )
    return model


def trainable_copy(model: Classifier) -> TorchModule:
    """Return a copy of a model that shares nothing with it, or raise if it cannot be trained."""
    model = check_trainable(model)
    try:
        module = copy.deepcopy(model.module)
    except Exception as problem:  # whatever a user's module holds
        raise InvalidModel(f"{model.name} cannot be copied: {str(problem).splitlines()[0]}") from problem
    own = None if model.dropout == Dropout() else model.dropout
    copied = TorchModule(module, model.name, model.outputs, model.neurons, own)
    copied.declared, copied.expects = model.declared, model.expects
    return copied


def own_module(model: TorchModule) -> nn.Module:
    """Return the module that the user brought, without the steps that were put in front of it."""
    module = model.module
    while isinstance(module, Normalised):
        module = module.module
    return module
