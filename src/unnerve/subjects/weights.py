"""Reading and writing weights; a file from a stranger can never run code."""

import json
import pickle
import re
import zipfile
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.storage.files import whole_file
from unnerve.core.storage.limits import check_packed, check_unpacked
from unnerve.subjects.checkpoints import weights_in

__all__ = ["addressed", "fill", "pickled", "recipe_of", "save_weights", "shipped"]

_NAMED = 3
"""How many weights that do not fit are named."""


def shipped(name: str) -> Path | None:
    """Return the weights that ship with a zoo model, or None."""
    path = Path(str(files("unnerve.subjects.zoo") / "weights" / f"{name}.safetensors"))
    return path if path.exists() else None


def fill(module: nn.Module, path: str | Path) -> nn.Module:
    """Load weights into a module and return it.

    Parameters
    ----------
    module : nn.Module
    path : str or path
        A safetensors file, arrays in an npz file, or what torch saved: a state dict, or a checkpoint that holds one. Of
        several in one checkpoint ``FILE#KEY`` names one: ``last.ckpt#ema``.
    """
    file, part = addressed(path)
    own = module.state_dict()
    try:
        module.load_state_dict(weights_in(_read(file), part, own, str(file)))
    except RuntimeError as problem:
        # Torch's first line only says that something does not fit; what it is stands below.
        lines = [_shortened(line.strip()) for line in str(problem).splitlines()[1:]] or [str(problem)]
        raise InvalidModel(f"{path}: weights do not fit the model: {' '.join(lines[:2])}") from problem
    return module


def save_weights(module: nn.Module, path: str | Path, recipe: Mapping[str, Any], *, half: bool = False) -> None:
    """Write a module's weights as safetensors, with the recipe that made them as metadata; all or nothing.

    With ``half`` floating-point weights are written as float16; loading converts them to the module's precision.
    """
    path = Path(path)
    # Copies: tensors that share their memory, as tied weights do, cannot be written.
    state = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in module.state_dict().items()}
    tensors = {name: one.half() if half and one.is_floating_point() else one for name, one in state.items()}
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


def addressed(path: str | Path) -> tuple[Path, str | None]:
    """Return the file, and the key of the weights in it if one is named behind ``#``."""
    file, _, part = str(path).rpartition("#")
    # A file may itself have a # in its name: what is there as it is written comes first.
    if not file or Path(path).is_file():
        return Path(path), None
    return Path(file), part


def _shortened(line: str) -> str:
    """Return a line of torch's with a few of the names that it lists: deep networks have hundreds."""
    said, colon, names = line.partition(": ")
    first = names.removesuffix(".").split(", ")
    if not names.startswith('"') or len(first) <= _NAMED:
        return line
    return f"{said}{colon}{', '.join(first[:_NAMED])} and {len(first) - _NAMED:,} more."


def _read(path: Path) -> object:
    if not path.is_file():
        raise InvalidModel(f"no such weights file: {path}")
    if _is_program(path):
        raise InvalidModel(
            f"{path}: is a TorchScript program, which has its own weights; give it in place of the model"
        )
    if path.suffix == ".safetensors":
        try:
            return load_file(path)
        except (SafetensorError, OSError) as problem:
            raise InvalidModel(f"{path}: not a readable safetensors file: {problem}") from problem
    if path.suffix == ".npz":
        return _arrays(path)
    try:
        check_packed(path, str(path))
        return torch.load(path, map_location="cpu", weights_only=True)
    except InvalidData as problem:
        raise InvalidModel(str(problem)) from problem
    except pickle.UnpicklingError as problem:
        raise InvalidModel(pickled(path, problem)) from problem
    except Exception as problem:  # garbage makes torch raise almost anything
        line = (str(problem) or "it is empty or cut short").splitlines()[0]
        raise InvalidModel(f"{path}: not a readable weights file: {line}") from problem


def _is_program(path: Path) -> bool:
    """Say whether a file is what ``torch.jit.save`` writes; torch tells it from weights in the same way."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name.endswith("/constants.pkl") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def pickled(path: Path, problem: pickle.UnpicklingError) -> str:
    """Say that a file holds pickled objects rather than tensors alone, and how to save it instead."""
    named = re.search(r"GLOBAL (\S+)", str(problem))
    what = f"a pickled object ({named[1]})" if named else "pickled objects"
    return (
        f"{path}: refused: it holds {what}, a whole model or settings of its training, and reading it could run code "
        "stored in it; save the weights alone: torch.save(model.state_dict(), 'weights.pt')"
    )


def _arrays(path: Path) -> Mapping[str, Tensor]:
    try:
        # Opened here, because numpy leaves a file open that it opened itself and found broken.
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            check_packed(path, "its arrays")
            check_unpacked(sum(one.file_size for one in file.zip.infolist()), "its arrays")
            return {name: torch.from_numpy(np.array(file[name])) for name in file.files}
    except Exception as problem:  # as for torch; TypeError if the arrays hold no numbers
        line = (str(problem) or "it is empty or cut short").splitlines()[0]
        raise InvalidModel(f"{path}: not a readable npz file of numbers: {line}") from problem
