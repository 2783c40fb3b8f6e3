"""Archives that run code when they are loaded or asked: honest ones with one record changed."""

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

__all__ = ["EXPORTED", "Evil", "changed", "exported", "hostile_exported", "hostile_scripted"]

Edit = Callable[[dict[str, bytes]], object]


class Evil:
    """Unpickled, it makes a folder."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.place,)


def exported(path: Path) -> Path:
    """Save an honest program for any number of inputs of 784 numbers."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(784, 10))
    batch = torch.export.Dim("batch")
    torch.export.save(torch.export.export(net, (torch.rand(2, 1, 28, 28),), dynamic_shapes=({0: batch},)), path)
    return path


def changed(path: Path, edit: Edit) -> Path:
    """Edit the records of an archive, by their names."""
    with zipfile.ZipFile(path) as file:
        root = file.namelist()[0].partition("/")[0]
        records = {name.partition("/")[2]: file.read(name) for name in file.namelist()}
    edit(records)
    with zipfile.ZipFile(path, "w") as file:
        for name, data in records.items():
            file.writestr(f"{root}/{name}", data)
    return path


def _pickled(place: str) -> bytes:
    buffer = io.BytesIO()
    torch.save(Evil(place), buffer)
    return buffer.getvalue()


def _json(record: str, edit: Callable[[Any], object]) -> Edit:
    def edited(records: dict[str, bytes]) -> None:
        value = json.loads(records[record])
        edit(value)
        records[record] = json.dumps(value).encode()

    return edited


def _program(edit: Callable[[Any], object]) -> Edit:
    return _json("models/model.json", lambda value: edit(value["graph_module"]))


def _weights(place: str) -> Edit:
    def edited(records: dict[str, bytes]) -> None:
        records["data/weights/weight_0"] = _pickled(place)
        config = "data/weights/model_weights_config.json"
        _json(config, lambda value: value["config"]["1.weight"].update(use_pickle=True))(records)

    return edited


def _constants(place: str, prefix: str) -> Edit:
    def edited(records: dict[str, bytes]) -> None:
        records[f"data/constants/{prefix}_0"] = _pickled(place)
        payload = {"path_name": f"{prefix}_0", "is_param": False, "use_pickle": True, "tensor_meta": None}
        _json("data/constants/model_constants_config.json", lambda value: value["config"].update(c=payload))(records)

    return edited


def _call(target: str, text: str) -> Edit:
    def edited(graph_module: Any) -> None:
        node = graph_module["graph"]["nodes"][0]
        node["target"], node["inputs"] = target, [{"name": "command", "arg": {"as_string": text}, "kind": 1}]

    return _program(edited)


def _size(text: str) -> Edit:
    def edited(value: Any, key: str = "") -> None:
        for name, inner in value.items() if isinstance(value, dict) else ():
            if name == "expr_str":
                value[name] = text
            else:
                edited(inner, name)
        for inner in value if isinstance(value, list) else ():
            edited(inner)

    return _program(edited)


def _structure(place: str) -> Edit:
    context = json.dumps({"default_factory_module": "os", "default_factory_name": "getpid", "dict_context": []})
    spec = {"type": "collections.defaultdict", "context": context, "children_spec": []}

    def edited(graph_module: Any) -> None:
        for entry in graph_module["module_call_graph"]:
            if entry["signature"]:
                entry["signature"]["in_spec"] = json.dumps([1, spec])

    return _program(edited)


def _input_name(text: str) -> Edit:
    def edited(records: dict[str, bytes]) -> None:
        records["models/model.json"] = records["models/model.json"].replace(b'"input"', text.encode())

    return edited


EXPORTED: dict[str, tuple[Callable[[str], Edit], str]] = {
    "sample inputs": (
        lambda place: lambda records: records.update({"data/sample_inputs/model.pt": _pickled(place)}),
        "its sample inputs are pickled objects",
    ),
    "weights": (_weights, "'1.weight' is pickled"),
    "constants": (lambda place: _constants(place, "tensor"), "'c' is pickled"),
    "opaque object": (lambda place: _constants(place, "opaque_obj"), "it has 'data/constants/opaque_obj_0' in it"),
    "bound object": (lambda place: _constants(place, "custom_obj"), "it has 'data/constants/custom_obj_0' in it"),
    "native code": (
        lambda place: lambda records: records.update({"data/aotinductor/model/x.so": b""}),
        "it has 'data/aotinductor/model/x.so' in it",
    ),
    "call": (lambda place: _call("torch.os.mkdir", place), "it calls 'torch.os.mkdir'"),
    "file": (lambda place: _call("torch.ops.aten.from_file.default", place), "it calls 'torch.ops.aten.from_file"),
    "other library": (lambda place: _call("torch.ops.image.read_file", place), "it calls 'torch.ops.image.read_file'"),
    "extension": (lambda place: _call("#evil:op", place), "it calls '#evil:op'"),
    "size": (lambda place: _size(f"__import__('os').mkdir({place!r})"), "is no size"),
    "tower": (lambda place: _size("9**9**9**9"), "'9**9**9**9' is no size"),
    "structure": (_structure, "of the type 'collections.defaultdict'"),
    "input": (lambda place: _input_name('"x=__import__(chr(111))"'), "is no name"),
}
"""What is changed, given a folder that the code would make; and why it is refused."""


def hostile_exported(path: Path, kind: str, place: str) -> Path:
    """Save a program that would make the folder ``place``."""
    return changed(exported(path), EXPORTED[kind][0](place))


class _Saving(nn.Module):
    place: str

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch.save(x, self.place)
        return x.flatten(1)[:, :10]


def hostile_scripted(path: Path, place: str) -> Path:
    """Save a program that writes a file when it is asked."""
    scripted = torch.jit.script(_Saving(place))
    torch.jit.save(scripted, str(path))
    return path
