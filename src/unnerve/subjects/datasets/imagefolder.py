"""A folder of images, one folder for each class, or with a table of labels."""

import csv
from dataclasses import dataclass
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.core.examples import Examples
from unnerve.subjects.datasets._files import existing_folder
from unnerve.subjects.datasets._image_rows import image_rows
from unnerve.subjects.datasets._labels import class_labels

__all__ = ["imagefolder"]

_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp"})


def imagefolder(
    path: str | Path, split: str | None = None, size: int | None = None, grey: bool | None = None
) -> Examples:
    """Read a folder of images; they are decoded when they are asked for.

    Parameters
    ----------
    path : path
        ``CLASS/*.png`` (jpg, jpeg, bmp, gif, webp), classes numbered in the order of their names; or images
        beside a ``labels.csv`` with the columns ``file``, ``class_index`` and optionally ``name``.
    split : str, optional
        A folder inside ``path`` to read instead.
    size : int, optional
        Resizes every image until its short side is this long, then crops the centre; without it all images
        must have one size.
    grey : bool, optional
        Turns every image into grey or, if False, into RGB; without it all must be of one kind.

    Returns
    -------
    Examples of shape (C, H, W)
        C is 1 or 3, values k/255; the ids are paths relative to ``path``.
    """
    folder = existing_folder(path if split is None else Path(path) / split, "imagefolder")
    classes = sorted(entry.name for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith("."))
    if not classes and (folder / "labels.csv").is_file():
        listing = _from_table(folder / "labels.csv")
    else:
        listing = _from_folders(folder, classes)
    if not listing.names:
        raise InvalidData(f"imagefolder: CLASS/*.png, jpg, bmp, gif or webp must be in '{folder}', found none")
    rows = image_rows([folder / name for name in listing.names], size, grey)
    labels = class_labels(listing.labels, str(folder), len(listing.names))
    return Examples(f"imagefolder:{folder}", rows, labels, listing.classes, names=listing.names)


@dataclass(frozen=True)
class _Listing:
    names: tuple[str, ...]
    labels: tuple[int, ...]
    classes: tuple[str, ...]


def _from_folders(folder: Path, classes: list[str]) -> _Listing:
    found = [
        (f"{name}/{file.name}", label)
        for label, name in enumerate(classes)
        for file in sorted((folder / name).iterdir())
        if file.suffix.lower() in _SUFFIXES and not file.name.startswith(".")
    ]
    return _Listing(tuple(name for name, _ in found), tuple(label for _, label in found), tuple(classes))


def _from_table(path: Path) -> _Listing:
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            table = list(csv.DictReader(file))
        names = tuple(row["file"] for row in table)
        labels = tuple(int(row["class_index"]) for row in table)
    except (OSError, KeyError, ValueError, TypeError, csv.Error) as error:
        raise InvalidData(f"{path}: must have the columns file and class_index (a whole number): {error!r}") from error
    if any(name is None for name in names) or min(labels, default=0) < 0:
        raise InvalidData(f"{path}: every row must name a file and a class_index >= 0")
    known = {label: row["name"] for label, row in zip(labels, table, strict=True) if row.get("name")}
    classes = tuple(known.get(label, str(label)) for label in range(max(labels, default=-1) + 1))
    return _Listing(names, labels, classes)
