"""A second device on the processor: its tensors say ``lazy``, hold numbers, and refuse to meet those of the first."""

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

__all__ = ["SecondDevice", "There"]

_CROSSING = frozenset({"aten::_to_copy", "aten::copy_"})


class There(Tensor):
    """A tensor on the second device; ``held`` are its numbers."""

    held: Tensor

    @staticmethod
    def __new__(cls, held: Tensor) -> "There":
        made = Tensor._make_wrapper_subclass(
            cls,
            held.size(),
            strides=held.stride(),
            storage_offset=held.storage_offset(),
            dtype=held.dtype,
            device=torch.device("lazy"),
            requires_grad=False,
        )
        made.held = held
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _computed(func, args, kwargs or {})


class SecondDevice(TorchDispatchMode):
    """While it is open, ``lazy`` is a device that computes; ``calls`` counts what was computed there."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        made = _computed(func, args, kwargs or {})
        self.calls += any(isinstance(one, There) for one in tree_leaves(made))
        return made


def _computed(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Run one operation on the numbers; as on a GPU, only single numbers may come from the other side."""
    given = [one for one in tree_leaves((args, kwargs)) if isinstance(one, Tensor)]
    there = [one for one in given if isinstance(one, There)]
    name = func._schema.name
    if there and name not in _CROSSING:
        strangers = [one for one in given if not isinstance(one, There) and one.ndim]
        if strangers:
            shapes = [tuple(one.shape) for one in strangers]
            raise RuntimeError(f"{name}: all tensors must be on one device, got {shapes} on the first one")
    asked = kwargs.get("device")
    on_second = bool(there) if asked is None else torch.device(asked).type == "lazy"
    if name == "aten::copy_":
        on_second = isinstance(args[0], There)
    kwargs = kwargs | ({"device": torch.device("cpu")} if asked is not None else {})
    plain_args, plain_kwargs = tree_map_only(There, lambda one: one.held, (args, kwargs))
    found = func(*plain_args, **plain_kwargs)
    if not on_second:
        return found
    same = {id(one.held): one for one in there}  # what is changed in place stays the tensor that it was
    return tree_map_only(Tensor, lambda one: same[id(one)] if id(one) in same else There(one), found)
