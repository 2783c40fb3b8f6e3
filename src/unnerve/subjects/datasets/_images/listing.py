"""Which images a folder holds, and what they show: by folders, by a table, or unknown."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.files import SUFFIXES
from unnerve.subjects.datasets._labels import class_labels, labels_and_classes
from unnerve.subjects.datasets._tables.text_table import text_table

__all__ = ["Listing", "listing"]

_FILE, _LABEL = ("file", "file_name", "filename"), ("label", "class_index", "class", "target")
_TABLES = ("labels.csv", "metadata.csv")
_NUMBER = re.compile("-?[0-9]{1,18}")
_KINDS = "png, jpg, bmp, gif, webp or tif"


@dataclass(frozen=True, eq=False)
class Listing:
    """Images with what they show.

    Parameters
    ----------
    folder : Path
    names : tuple of str
        Relative to the folder.
    labels : int64 array of shape (N,), or None
    classes : tuple of str
    table : Path or None
        Where names and labels come from.
    """

    folder: Path
    names: tuple[str, ...]
    labels: np.ndarray | None = None
    classes: tuple[str, ...] = ()
    table: Path | None = None

    def without(self, left_out: frozenset[str]) -> "Listing":
        """Return the listing without some images; classes keep their numbers."""
        kept = [row for row, name in enumerate(self.names) if name not in left_out]
        names = tuple(self.names[row] for row in kept)
        return replace(self, names=names, labels=None if self.labels is None else self.labels[kept])

    def check_files(self) -> None:
        """Raise if a table names an image that is not there."""
        for row, name in enumerate(self.names if self.table else (), start=1):
            if not (self.folder / name).is_file():
                raise InvalidData(
                    f"{self.table}: row {row} names '{name}', which must be in '{self.folder}', found none"
                )


def listing(folder: Path, table: str | Path | None = None) -> Listing:
    """Return what a folder holds.

    Parameters
    ----------
    folder : Path
        With images in one folder per class; or images and a table of labels; or images alone.
    table : path, optional
        The table, relative to the folder; ``labels.csv`` or ``metadata.csv`` in it by default, where there are no
        folders of classes.
    """
    if table is not None:
        return _from_table(folder, folder / Path(table).expanduser())
    folders = _folders(folder)
    # Folders of classes go first: a table beside them is often about something else.
    found = _from_folders(folder, folders)
    if found.names:
        return found
    tables = [folder / name for name in _TABLES if (folder / name).is_file()]
    found = _from_table(folder, tables[0]) if tables else Listing(folder, tuple(_images(folder)))
    if not found.names:
        raise InvalidData(f"imagefolder: images ({_KINDS}) must be in '{folder}', found none{_hint(folder, folders)}")
    return found


def _from_folders(folder: Path, classes: list[str]) -> Listing:
    found = {name: _images(folder / name) for name in classes}
    names = tuple(f"{name}/{file}" for name, files in found.items() for file in files)
    labels = np.repeat(np.arange(len(classes)), [len(files) for files in found.values()])
    return Listing(folder, names, labels, tuple(classes))


def _folders(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def _images(folder: Path) -> list[str]:
    # Not Path.iterdir: a Path object for each of 100,000 files costs time and memory.
    with os.scandir(folder) as entries:
        return sorted(
            entry.name
            for entry in entries
            if Path(entry.name).suffix.lower() in SUFFIXES and not entry.name.startswith(".")
        )


def _hint(folder: Path, folders: Sequence[str]) -> str:
    parts = [name for name in folders if _folders(folder / name)]
    return f"; the folder '{parts[0]}' has folders in it: --split {parts[0]} reads those" if parts else ""


def _from_table(folder: Path, path: Path) -> Listing:
    columns = text_table(path)
    file, label = (next((name for name in known if name in columns), None) for known in (_FILE, _LABEL))
    if file is None or label is None:
        missing = " and ".join(name for name, there in (("file", file), ("label", label)) if there is None)
        raise InvalidData(f"{path}: must have the columns file and label, found no {missing} in {', '.join(columns)}")
    for row, (name, said) in enumerate(zip(columns[file], columns[label], strict=True), start=1):
        if not name or not said:
            raise InvalidData(f"{path}: every row must have a file and a label, got '{name}' and '{said}' in row {row}")
    labels, classes = _labels(path, columns[label], columns.get("name"))
    return Listing(folder, tuple(columns[file]), labels, classes, path)


def _labels(path: Path, given: Sequence[str], names: Sequence[str] | None) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return labels and classes; whole numbers are labels as they are, texts are numbered by their order."""
    if not all(_NUMBER.fullmatch(label) for label in given):
        return labels_and_classes(given, str(path), len(given))
    # Whole numbers are the model's own; numbering them by order would move every class behind a gap.
    labels = class_labels([int(label) for label in given], str(path), len(given))
    known = {} if names is None else {int(label): name for label, name in zip(labels, names, strict=True) if name}
    return labels, tuple(known.get(label, str(label)) for label in range(int(labels.max()) + 1)) if known else ()
