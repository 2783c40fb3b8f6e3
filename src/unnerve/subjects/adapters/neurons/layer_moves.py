"""How far layers move between an input and the one that it was made from: differences of whole feature maps."""

import torch
from torch import Tensor

from unnerve.subjects.adapters._module_calls import ModuleCalls
from unnerve.subjects.adapters.neurons._axes import Axes
from unnerve.subjects.adapters.neurons._hooks import first_tensor, hooked, named_layers
from unnerve.subjects.adapters.neurons.call_map import CallMap

__all__ = ["layer_moves"]


def layer_moves(
    calls: ModuleCalls, call_map: CallMap, changed: Tensor, clean: Tensor, owners: Tensor
) -> tuple[Tensor, Tensor]:
    """Run changed and clean inputs in one pass and compare the outputs of the layers of a call map.

    Both are run together, because keeping the clean feature maps would take far more memory than making them again.

    Parameters
    ----------
    calls : ModuleCalls
    call_map : CallMap
    changed : Tensor of shape (N, ...)
    clean : Tensor of shape (S, ...)
    owners : int64 Tensor of shape (N,)
        Which clean input each changed one was made from.

    Returns
    -------
    moves : Tensor of shape (N, U)
        Change of each neuron's value.
    extent : Tensor of shape (N, L, 2)
        Least and largest change within each layer's whole output, layers in calling order.
    """
    names: list[str] = []
    moves: list[Tensor] = []
    extents: list[Tensor] = []

    def keep(name: str, output: object, _given: object) -> None:
        planned, axes = call_map.calls[len(names)] if len(names) < len(call_map.calls) else ("", None)
        names.append(name)
        tensor = first_tensor(output)
        if name == planned and axes is not None and tensor is not None:
            compare(tensor, axes)

    def compare(output: Tensor, axes: Axes) -> None:
        apart = _difference(output, axes, len(changed), owners)
        moves.append(axes.means(apart))
        extents.append(torch.cat(axes.extents(apart), dim=1))

    with hooked(named_layers(calls.module, call_map.names), keep, call_map.compiled):
        logits = calls.logits(torch.cat([changed, clean]))
    call_map.check(names, calls.name)
    if call_map.softmax:
        # The probabilities are no layer's output, so no hook has seen them.
        compare(logits.softmax(dim=-1), Axes(batch=0, neurons=1))
    return torch.cat(moves, dim=1), torch.stack(extents, dim=1)


def _difference(output: Tensor, axes: Axes, changed: int, owners: Tensor) -> Tensor:
    single = output.to(torch.promote_types(output.dtype, torch.float32))
    now, before = single.tensor_split([changed * axes.fold], dim=axes.batch)
    places = owners.unsqueeze(1) * axes.fold + torch.arange(axes.fold, device=owners.device)
    return now - before.index_select(axes.batch, places.flatten())
