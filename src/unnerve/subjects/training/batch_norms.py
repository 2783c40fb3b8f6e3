"""Batch norms for training only: they speed it up, and are folded into the convolutions afterwards."""

from copy import deepcopy

import torch
from torch import nn

__all__ = ["fold_into", "with_batch_norms"]


def with_batch_norms(module: nn.Module) -> nn.Module:
    """Return a copy of a module with a batch norm behind every convolution but one that ends the network."""
    scaffold = deepcopy(module)
    named = [name for name, one in scaffold.named_modules() if isinstance(one, nn.Conv2d | nn.Linear)]
    for name in named:
        layer = scaffold.get_submodule(name)
        # The last layer makes the logits: their size is for the loss to decide, not for a batch.
        if isinstance(layer, nn.Conv2d) and name != named[-1]:
            owner, _, attribute = name.rpartition(".")
            pair = nn.Sequential(layer, nn.BatchNorm2d(layer.out_channels))
            setattr(scaffold.get_submodule(owner), attribute, pair)
    return scaffold


@torch.no_grad()
def fold_into(module: nn.Module, scaffold: nn.Module) -> None:
    """Give a module the weights of a copy that was trained with batch norms; it then answers as that one in eval mode.

    Parameters
    ----------
    module : nn.Module
        Changed in place; its convolutions have biases.
    scaffold : nn.Module
        Made of it by :func:`with_batch_norms`.
    """
    for name, layer in module.named_modules():
        trained = scaffold.get_submodule(name) if name else scaffold
        if isinstance(layer, nn.Conv2d) and isinstance(trained, nn.Sequential):
            convolution, norm = trained
            assert isinstance(convolution, nn.Conv2d)
            assert isinstance(norm, nn.BatchNorm2d)
            assert layer.bias is not None
            assert convolution.bias is not None
            assert norm.running_mean is not None
            assert norm.running_var is not None
            # In eval mode a batch norm is a scale and a shift per channel, which a convolution can do itself.
            factor = norm.weight / (norm.running_var + norm.eps).sqrt()
            layer.weight.copy_(convolution.weight * factor.view(-1, 1, 1, 1))
            layer.bias.copy_((convolution.bias - norm.running_mean) * factor + norm.bias)
        elif not list(layer.children()):
            layer.load_state_dict(trained.state_dict())
