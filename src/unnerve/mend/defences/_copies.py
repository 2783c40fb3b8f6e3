"""New models of the same make as one that is defended."""

from collections.abc import Callable
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
    for name, part in model.module.named_modules():
        # Weights that stay as they were would make a copy that was never trained anew, unnoticed.
        if next(part.parameters(recurse=False), None) is not None and _reset(part) is None:
            raise InvalidModel(
                f"{who} starts from new weights: {name or 'the model'} ({type(part).__name__}) in {model.name} "
                "has weights and no method reset_parameters() that draws them anew"
            )
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
        if (reset := _reset(part)) is not None:
            reset()
    return copy


def _reset(part: nn.Module) -> Callable[[], object] | None:
    """Return what draws a layer's weights anew: every layer of torch with weights has it, attention by another name."""
    found = getattr(part, "reset_parameters", None) or getattr(part, "_reset_parameters", None)
    return found if callable(found) else None
