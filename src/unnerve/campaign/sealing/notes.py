"""Notes: what was worked out from a campaign, such as its stability, as JSON under a seal beside its shards."""

import json
import warnings
from collections.abc import Mapping
from typing import Any

from unnerve.campaign._folder import ABSENT, Folder
from unnerve.campaign.sealing.seal import digest, unsealed
from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import TEXT

__all__ = ["NOTES", "DamagedNote", "read_note", "remade_note", "write_note"]

NOTES = ("coverage", "features", "limits", "smallest_changes", "stability")
"""What may be noted: other JSON files in the folder are the user's own."""


class DamagedNote(InvalidData):
    """A note that is not what was written, or another campaign's."""


def write_note(folder: Folder, plan: str, name: str, value: Mapping[str, Any]) -> None:
    """Write a note as ``NAME.json``, in the place of an older one; ``plan`` is the hash of the campaign's plan."""
    assert name in NOTES, name
    # As it will be read back: tuples are lists there, and keys are text.
    plain = json.loads(json.dumps(value, allow_nan=False))
    data = json.dumps({**plain, "seal": _seal(plan, name, plain)}, indent=1).encode()
    folder.write(f"{name}.json", lambda file: file.write(data))


def read_note(folder: Folder, plan: str, name: str) -> dict[str, Any] | None:
    """Return what was noted under a name; None if nothing was; raises if that is not what was written."""
    try:
        found = json.loads(folder.content(f"{name}.json", TEXT).decode())
        if not isinstance(found, dict):
            raise TypeError("it must be an object")
        if found.get("seal") != _seal(plan, name, value := unsealed(found)):
            raise ValueError("its content is not what was written for this campaign")
    except ABSENT:
        return None
    except (OSError, ValueError, TypeError, RecursionError, InvalidData) as problem:
        raise DamagedNote(f"{folder.path}: {name}.json cannot be read: {problem}") from problem
    return value


def remade_note(folder: Folder, plan: str, name: str) -> dict[str, Any] | None:
    """Return what was noted, for somebody who will note it again: what is damaged is set aside, with a warning."""
    try:
        return read_note(folder, plan, name)
    except DamagedNote as problem:
        moved = folder.set_aside(f"{name}.json")
        warnings.warn(f"{problem}; it was moved to {moved}, and is made again", stacklevel=3)
        return None


def _seal(plan: str, name: str, value: Mapping[str, Any]) -> str:
    return digest([plan, name, value])
