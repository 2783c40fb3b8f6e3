"""TorchScript programs that can be loaded and run without touching anything but numbers.

TorchScript is a language of its own, without ``import``; what it can reach is its operators. Few of them write or read
files, call Python or other machines, and classes that other libraries bring may do anything: those are refused.
"""

import re
from pathlib import Path

from unnerve.subjects.forms._archives import TorchArchive, Untrusted

__all__ = ["check_scripted"]

# Words of the program, wherever they stand: an operator can be called as a function or as a method of any value.
_FORBIDDEN = re.compile(
    r"\b(save|from_file|load_tensor|PythonOp|IgnoredPythonOp|BailOut|BailoutTemplate|FallbackGraph|rpc_async|rpc_sync"
    r"|rpc_remote)\b"
)
_NAMESPACE = re.compile(r"\bops\s*\.\s*(\w+)")
_NAMESPACES = frozenset({"aten", "prim", "prims", "quantized"})
_CLASSES = re.compile(rb"torch[.\n]+classes\b")


def check_scripted(path: Path) -> None:
    """Raise :class:`Untrusted` unless the program only computes, and ValueError if it is none."""
    archive = TorchArchive(path)
    if not {"data.pkl", "constants.pkl"} <= set(archive.names):
        raise ValueError("no TorchScript program")
    # That form keeps its program elsewhere, where nothing is checked.
    if "model.json" in archive.names:
        raise Untrusted("it is of a form that torch.jit.save wrote long ago")
    for name in archive.names:
        if name.endswith(".pkl") and _CLASSES.search(archive.record(name)):
            raise Untrusted("it holds objects of other libraries")
        if name.startswith("code/") and name.endswith(".py"):
            _check_program(archive.text(name))


def _check_program(text: str) -> None:
    forbidden = _FORBIDDEN.search(text)
    if forbidden is not None:
        raise Untrusted(f"its program has '{forbidden[1]}' in it")
    foreign = next((one for one in _NAMESPACE.findall(text) if one not in _NAMESPACES), None)
    if foreign is not None or _CLASSES.search(text.encode()):
        raise Untrusted(f"its program uses operators of other libraries ({foreign or 'classes'})")
