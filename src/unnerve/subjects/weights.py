"""Reading and writing weights; a file from a stranger can never run code."""

import json
import pickle
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel
from unnerve.core.files import whole_file

__all__ = ["fill", "recipe_of", "save_weights", "shipped"]


def shipped(name: str) -> Path | None:
    """Return the weights that ship with a zoo model, or None."""
    path = Path(str(files("unnerve.subjects.zoo") / "weights" / f"{name}.safetensors"))
    return path if path.exists() else None


def fill(module: nn.Module, path: str | Path) -> nn.Module:
    """Load a safetensors file, arrays in an npz file, or a state dict saved by torch, into a module and return it."""
    try:
        module.load_state_dict(_tensors(Path(path)))
    except RuntimeError as problem:
        lines = [line.strip() for line in str(problem).splitlines()[1:]] or [str(problem)]
        raise InvalidModel(f"{path}: weights do not fit the model: {lines[0]}") from problem
    return module


def save_weights(module: nn.Module, path: str | Path, recipe: Mapping[str, Any]) -> None:
    """Write a module's weights as safetensors, with the recipe that made them as metadata; all or nothing."""
    path = Path(path)
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in module.state_dict().items()}
    data = save(tensors, metadata={"recipe": json.dumps(recipe)})
    with whole_file(path) as part:
        part.write_bytes(data)


def recipe_of(path: str | Path) -> dict[str, Any]:
    """Return the recipe that :func:`save_weights` stored, or nothing."""
    try:
        with safe_open(str(path), framework="pt") as file:
            recipe: dict[str, Any] = json.loads((file.metadata() or {}).get("recipe", "{}"))
    except (SafetensorError, OSError) as problem:
        raise InvalidModel(f"{path}: not a readable safetensors file: {problem}") from problem
    return recipe


def _tensors(path: Path) -> Mapping[str, Tensor]:
    if not path.is_file():
        raise InvalidModel(f"no such weights file: {path}")
    if path.suffix == ".safetensors":
        try:
            return load_file(path)
        except (SafetensorError, OSError) as problem:
            raise InvalidModel(f"{path}: not a readable safetensors file: {problem}") from problem
    if path.suffix == ".npz":
        return _arrays(path)
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as problem:
        raise InvalidModel(
            f"{path}: refused: not a plain state dict, and reading it could run code stored in it; "
            "save a state_dict or safetensors"
        ) from problem
    except Exception as problem:  # garbage makes torch raise almost anything
        line = (str(problem) or "it is empty or cut short").splitlines()[0]
        raise InvalidModel(f"{path}: not a readable weights file: {line}") from problem
    found = found.get("state_dict", found) if isinstance(found, Mapping) else found
    if not isinstance(found, Mapping) or not all(isinstance(value, Tensor) for value in found.values()):
        raise InvalidModel(f"{path}: must hold a state dict (names to tensors), got {type(found).__name__}")
    return found


def _arrays(path: Path) -> Mapping[str, Tensor]:
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            return {name: torch.from_numpy(np.array(file[name])) for name in file.files}
    except Exception as problem:  # as for torch; TypeError if the arrays hold no numbers
        line = (str(problem) or "it is empty or cut short").splitlines()[0]
        raise InvalidModel(f"{path}: not a readable npz file of numbers: {line}") from problem
