"""The folders that ``save_to_disk`` writes: Arrow files, and JSON that says what their columns are."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets._saved.packing import is_compressed

__all__ = ["chosen_split", "is_saved", "saved_features", "saved_table"]

_STATE, _SPLITS, _INFO = "state.json", "dataset_dict.json", "dataset_info.json"
_USUAL = ("test", "validation", "train")


def is_saved(folder: Path) -> bool:
    """Say whether ``save_to_disk`` wrote a folder."""
    return (folder / _SPLITS).is_file() or ((folder / _STATE).is_file() and (folder / _INFO).is_file())


def chosen_split(folder: Path, split: str | None) -> Path:
    """Return the folder of a split: by default test, validation or train, whichever is there first."""
    if not (folder / _SPLITS).is_file():
        if split is not None:
            raise InvalidSetting(f"--split: {folder} holds one data set without splits, got '{split}'")
        return folder
    known = _json(folder / _SPLITS).get("splits")
    if not isinstance(known, list) or not known or not all(isinstance(one, str) for one in known):
        raise InvalidData(f"{folder / _SPLITS}: must name splits, got {known!r}")
    wanted = split or next((one for one in _USUAL if one in known), known[0])
    if wanted not in known:
        raise InvalidSetting(f"--split must be one of {', '.join(known)}, the splits of {folder}, got '{wanted}'")
    return _inside(folder, wanted)


def saved_table(folder: Path) -> pa.Table:
    """Return all rows; they stay on disk until they are asked for."""
    state = _json(folder / _STATE)
    if state.get("_indices_data_files"):
        raise InvalidData(
            f"{folder}: a selection of rows was saved beside the data; save it again with a newer version of datasets, "
            "or after flatten_indices()"
        )
    tables = [_mapped(path) for path in _files(folder, state.get("_data_files"))]
    try:
        return pa.concat_tables(tables)
    except pa.ArrowException as error:
        raise InvalidData(f"{folder}: files must have the same columns: {error}") from error


def saved_features(folder: Path) -> Mapping[str, Any]:
    """Return what is known of the columns: their type and, of labels, the names of the classes."""
    found = _json(folder / _INFO).get("features") if (folder / _INFO).is_file() else None
    return {name: one for name, one in found.items() if isinstance(one, dict)} if isinstance(found, dict) else {}


def _files(folder: Path, listed: object) -> Sequence[Path]:
    try:
        names = [str(one["filename"]) for one in listed]  # type: ignore[attr-defined]
    except (TypeError, KeyError):
        names = []
    if not names:
        raise InvalidData(f"{folder / _STATE}: must list the files of the data set")
    return [_inside(folder, name) for name in names]


def _inside(folder: Path, name: str) -> Path:
    """Return a file or folder beneath a folder; JSON of strangers must not lead elsewhere."""
    if Path(name).name != name or name in ("", ".", ".."):
        raise InvalidData(f"{folder}: names must lie inside the folder, got '{name}'")
    return folder / name


def _mapped(path: Path) -> pa.Table:
    if not path.is_file():
        raise InvalidData(f"{path}: must be a file of the data set, found none")
    try:
        if is_compressed(str(path)):
            raise InvalidData(f"{path}: must be written without compression, as save_to_disk does")
        table = pa.ipc.open_stream(pa.memory_map(str(path))).read_all()
        # Offsets that lead out of a buffer would end the process; to check them reads no values.
        table.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise InvalidData(f"{path}: must be an Arrow file, and not damaged: {error}") from error
    return table


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidData(f"{path}: must be JSON, and not damaged: {error}") from error
    if not isinstance(found, dict):
        raise InvalidData(f"{path}: must be a JSON object, got {type(found).__name__}")
    return found
