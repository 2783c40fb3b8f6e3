"""Rows of image files, decoded when they are asked for, in several threads."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.files import is_grey, is_readable, opened, pixels
from unnerve.subjects.datasets._images.parallel import in_threads
from unnerve.subjects.datasets._images.resizing import Resizing

__all__ = ["ImageRows", "image_rows", "unreadable"]


@dataclass(frozen=True)
class ImageRows:
    """Image files as rows of uint8.

    Parameters
    ----------
    folder : Path
    names : tuple of str
        Of the files, relative to the folder.
    shape : (int, int, int, int)
        (N, C, H, W), where C is 1 or 3.
    resizing : Resizing
    """

    folder: Path
    names: tuple[str, ...]
    shape: tuple[int, int, int, int]
    resizing: Resizing

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Decode these files, shape (len(rows), C, H, W)."""
        _, channels, height, width = self.shape
        out = np.empty((len(rows), channels, height, width), dtype=np.uint8)

        def fill(place: int) -> None:
            path = _path(self.folder, self.names[rows[place]])
            with opened(path) as image:
                fitted = self.resizing.fitted(image)
                _check(path, "size", fitted.size, (width, height))
                out[place] = pixels(fitted, grey=channels == 1)

        for _ in in_threads(fill, range(len(rows))):
            pass
        return out


def image_rows(folder: Path, names: Sequence[str], resizing: Resizing, grey: bool | None) -> ImageRows:
    """Return the rows of image files, after a look at the sizes and modes that are not settled by settings.

    Parameters
    ----------
    folder : Path
    names : sequence of str, not empty
    resizing : Resizing
        Without a size all images must have one.
    grey : bool or None
        Grey or colour; None if all images are of one kind.
    """
    size, (own, first_grey) = resizing.size, _look(_path(folder, names[0]))
    width, height = own if size is None else (size, size)
    wanted = first_grey if grey is None else grey

    def check(name: str) -> None:
        found, is_so = _look(_path(folder, name))
        if size is None:
            _check(_path(folder, name), "size", found, (width, height))
        if grey is None:
            _check(_path(folder, name), "grey", is_so, wanted)

    # Where settings decide size and colour, 100,000 files need not be opened to begin.
    for _ in in_threads(check, names) if size is None or grey is None else ():
        pass
    return ImageRows(folder, tuple(names), (len(names), 1 if wanted else 3, height, width), resizing)


def unreadable(folder: Path, names: Sequence[str]) -> frozenset[str]:
    """Decode every image once, and return the names of those that cannot be."""
    found = in_threads(lambda name: is_readable(_path(folder, name)), names)
    return frozenset(name for name, whole in zip(names, found, strict=True) if not whole)


def _path(folder: Path, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118 - a hundred thousand Path objects cost memory and time


def _look(path: str) -> tuple[tuple[int, int], bool]:
    with opened(path) as image:
        return image.size, is_grey(image)


def _check(path: str, what: str, value: object, expected: object) -> None:
    if value != expected:
        raise InvalidData(
            f"{path}: {what} must be {expected} as in the first image, got {value}; "
            "give the settings size (to crop) and grey (to convert) for mixed images"
        )
