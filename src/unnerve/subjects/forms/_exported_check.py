"""Programs of torch.export that can be loaded without running code of the file: no pickles, and only known operators.

torch reads weights that say so with pickle, looks targets of calls up by their dotted names from ``torch`` on
(``torch.os.system`` among them), evaluates sizes as Python, imports what structures of inputs name, and writes names
into the program that it then runs. So each of these is checked against what an honest file has.
"""

import json
import re
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any

import torch

from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import UNPACKED, check_packed
from unnerve.subjects.forms._archives import TorchArchive, Untrusted
from unnerve.subjects.forms._size_expressions import is_size_expression

__all__ = ["check_exported"]

_MODEL = "models/model.json"
_CONFIGS = {
    "data/weights/model_weights_config.json": "data/weights/",
    "data/constants/model_constants_config.json": "data/constants/",
}
_SAMPLES = "data/sample_inputs/model.pt"
_KNOWN = re.compile(
    r"models/model\.json|data/(weights|constants)/(model_(weights|constants)_config\.json|(weight|tensor)_\d+)"
    r"|data/sample_inputs/model\.pt|archive_format|archive_version|byteorder|version|\.data/\w+|\.format_version"
    r"|\.storage_alignment"
)
_NAME = re.compile(r"(\w+(\.\w+)*)?", re.ASCII)
_NAMES = frozenset(
    {"name", "as_name", "fqn", "parameter_name", "buffer_name", "tensor_constant_name", "user_input_name"}
)
_SYMBOL = re.compile(r"[a-z]+[0-9]{1,5}", re.ASCII)
_TARGET = re.compile(
    r"torch\.ops\.(aten|prims|quantized_decomposed)\.(?!from_file\b|save\b|_print\b)\w+(\.\w+)?"
    r"|torch\.ops\.higher_order\.(cond|scan|map_impl|associative_scan|while_loop|wrap_with_(set_grad_enabled|autocast))"
    r"|_operator\.(add|sub|mul|floordiv|truediv|mod|pow|neg|pos|eq|ne|lt|le|gt|ge|getitem|and_|or_|not_)"
    r"|math\.(ceil|floor|trunc|sqrt|pow|log|exp)|torch\.sym_[a-z]+"
    r"|torch\._C\._set_grad_enabled|torch\.amp\.autocast_mode\._(enter|exit)_autocast",
    re.ASCII,
)
_STRUCTURES = frozenset({None, "builtins.tuple", "builtins.list", "builtins.dict", "collections.OrderedDict"})


def check_exported(path: Path) -> None:
    """Raise :class:`Untrusted` unless loading the program can run nothing that is stored in the file."""
    archive = TorchArchive(path)
    # Listed is what an honest file has: a list of what is bad would be out of date with the next torch.
    strange = next((name for name in archive.names if not _KNOWN.fullmatch(name)), None)
    if strange is not None or _MODEL not in archive.names:
        raise Untrusted(f"it has '{strange}' in it" if strange else f"it has no {_MODEL}, as torch >= 2.8 writes it")
    for config, folder in _CONFIGS.items():
        _check_payloads(archive, archive.value(config)["config"], folder)
    if _SAMPLES in archive.names:
        _check_samples(archive.record(_SAMPLES))
    _check_part(archive.value(_MODEL))


def _check_payloads(archive: TorchArchive, config: dict[str, Any], folder: str) -> None:
    for name, payload in config.items():
        file = payload["path_name"]
        if payload["use_pickle"] or payload["tensor_meta"] is None or folder + file not in archive.names:
            raise Untrusted(f"'{name}' is pickled")
        if prod(size["as_int"] for size in payload["tensor_meta"]["sizes"]) > UNPACKED:
            raise Untrusted(f"'{name}' must have <= {UNPACKED:,} numbers")
        _check_text("name", name)


def _check_samples(data: bytes) -> None:
    """Raise unless the inputs that the program was made with are plain tensors: torch would unpickle others."""
    try:
        if data:
            check_packed(BytesIO(data), "its sample inputs")
            torch.load(BytesIO(data), weights_only=True)
    except InvalidData as problem:
        raise Untrusted(str(problem)) from problem
    except Exception as problem:
        raise Untrusted("its sample inputs are pickled objects") from problem


def _check_part(value: Any, key: str = "") -> None:
    """Check a part of the program's JSON, and all that is in it."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_key(key, name)
            _check_part(inner, name)
    elif isinstance(value, list):
        for inner in value:
            _check_part(inner, key)
    elif isinstance(value, str):
        _check_text(key, value)


def _check_key(owner: str, name: str) -> None:
    if name in ("as_custom_obj", "custom_obj"):
        raise Untrusted("it holds objects of other libraries")
    if owner in ("tensor_values", "sym_int_values", "sym_float_values", "sym_bool_values"):
        _check_text("name", name)
    if owner == "range_constraints" and not _SYMBOL.fullmatch(name):
        raise Untrusted(f"'{name[:60]}' is no size")


def _check_text(key: str, text: str) -> None:
    if key in _NAMES and not _NAME.fullmatch(text):
        raise Untrusted(f"'{text[:60]}' is no name")
    if key in ("target", "as_operator") and not _TARGET.fullmatch(text):
        raise Untrusted(f"it calls '{text[:60]}'")
    if key == "expr_str" and not is_size_expression(text):
        raise Untrusted(f"'{text[:60]}' is no size")
    if key in ("in_spec", "out_spec") and text:
        _check_structure(json.loads(text)[1])


def _check_structure(spec: dict[str, Any]) -> None:
    """Raise unless inputs or outputs are tuples, lists and dicts; others name modules to import."""
    context = spec["context"]
    keys = json.loads(context) if isinstance(context, str) else context
    plain = keys is None or (isinstance(keys, list) and all(isinstance(one, str | int) for one in keys))
    if spec["type"] not in _STRUCTURES or not plain:
        raise Untrusted(f"its inputs or outputs are of the type '{str(spec['type'])[:60]}'")
    for child in spec["children_spec"]:
        _check_structure(child)
