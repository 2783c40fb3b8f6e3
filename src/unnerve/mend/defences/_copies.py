"""New models of the same make as one that is defended."""

from copy import deepcopy

from torch import nn
from torch.jit import ScriptModule

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.model import Classifier
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.training.loop import TrainingLoss, initialised, train
from unnerve.subjects.training.recipes import Recipe

__all__ = ["check_trainable", "retrained"]


def check_trainable(model: Classifier, who: str, training: Examples) -> TorchModule:
    """Return the model if a copy of it can be trained on this data, or raise."""
    if not isinstance(model, TorchModule):
        raise InvalidModel(f"{who} trains a copy of the model: it needs an nn.Module, and {model.name} is none")
    if any(isinstance(part, ScriptModule) for part in model.module.modules()):
        raise InvalidModel(f"{who} starts from new weights, which {model.name}, a TorchScript program, cannot be given")
    if model.outputs == "probabilities":
        raise InvalidModel(f"{who} trains logits, and {model.name} answers with probabilities")
    if training.labels is None:
        raise InvalidData(f"{training.name}: {who} trains on labelled inputs, and it has no labels")
    return model


def retrained(model: TorchModule, training: Examples, recipe: Recipe, loss: TrainingLoss, who: str) -> TorchModule:
    """Return a copy that was trained from new weights."""
    module = initialised(lambda: _anew(model.module), recipe.seed)
    train(module, training, recipe, loss=loss)
    return TorchModule(module, f"{model.name}, {who}", "logits", model.neurons, model.dropout)


def _anew(module: nn.Module) -> nn.Module:
    copy = deepcopy(module)
    for parameter in copy.parameters():
        parameter.requires_grad_(True)
    for part in copy.modules():
        # Every layer of torch with weights has it; what has none keeps the weights it came with.
        reset = getattr(part, "reset_parameters", None)
        if callable(reset):
            reset()
    return copy
