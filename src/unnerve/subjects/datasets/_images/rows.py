"""Rows of images, decoded when they are asked for, in several threads."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from PIL import Image

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.files import is_grey, is_readable, opened, pixels
from unnerve.subjects.datasets._images.parallel import in_threads
from unnerve.subjects.datasets._images.resizing import Resizing

__all__ = ["ImageFiles", "ImageRows", "Images", "image_rows", "unreadable"]


class Images(Protocol):
    """Where images are kept: in files, or in a column of a table."""

    def __len__(self) -> int: ...

    def name(self, row: int) -> str:
        """Return what messages call an image."""
        ...

    def opened(self, row: int) -> AbstractContextManager[Image.Image]:
        """Open an image."""
        ...


@dataclass(frozen=True)
class ImageFiles:
    """Files in a folder, by names relative to it."""

    folder: Path
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    def name(self, row: int) -> str:
        """Return the path of a file."""
        return _path(self.folder, self.names[row])

    def opened(self, row: int) -> AbstractContextManager[Image.Image]:
        """Open a file."""
        return opened(self.name(row))


@dataclass(frozen=True)
class ImageRows:
    """Images as rows of uint8.

    Parameters
    ----------
    images : Images
    shape : (int, int, int, int)
        (N, C, H, W), where C is 1 or 3.
    resizing : Resizing
    """

    images: Images
    shape: tuple[int, int, int, int]
    resizing: Resizing

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Decode these images, shape (len(rows), C, H, W)."""
        _, channels, height, width = self.shape
        out = np.empty((len(rows), channels, height, width), dtype=np.uint8)

        def fill(place: int) -> None:
            row = int(rows[place])
            with self.images.opened(row) as image:
                fitted = self.resizing.fitted(image)
                _check(self.images.name(row), "size", fitted.size, (width, height))
                out[place] = pixels(fitted, grey=channels == 1)

        for _ in in_threads(fill, range(len(rows))):
            pass
        return out


def image_rows(images: Images, resizing: Resizing, grey: bool | None) -> ImageRows:
    """Return the rows of images, after a look at the sizes and modes that are not settled by settings.

    Parameters
    ----------
    images : Images, not empty
    resizing : Resizing
        Without a size all images must have one.
    grey : bool or None
        Grey or colour; None if all images are of one kind.
    """
    size, (own, first_grey) = resizing.size, _look(images, 0)
    width, height = own if size is None else (size, size)
    wanted = first_grey if grey is None else grey

    def check(row: int) -> None:
        found, is_so = _look(images, row)
        if size is None:
            _check(images.name(row), "size", found, (width, height))
        if grey is None:
            _check(images.name(row), "grey", is_so, wanted)

    # Where settings decide size and colour, 100,000 files need not be opened to begin.
    for _ in in_threads(check, range(len(images))) if size is None or grey is None else ():
        pass
    return ImageRows(images, (len(images), 1 if wanted else 3, height, width), resizing)


def unreadable(folder: Path, names: Sequence[str]) -> frozenset[str]:
    """Decode every image once, and return the names of those that cannot be."""
    found = in_threads(lambda name: is_readable(_path(folder, name)), names)
    return frozenset(name for name, whole in zip(names, found, strict=True) if not whole)


def _path(folder: Path, name: str) -> str:
    return os.path.join(folder, name)  # noqa: PTH118 - a hundred thousand Path objects cost memory and time


def _look(images: Images, row: int) -> tuple[tuple[int, int], bool]:
    with images.opened(row) as image:
        return image.size, is_grey(image)


def _check(path: str, what: str, value: object, expected: object) -> None:
    if value != expected:
        raise InvalidData(
            f"{path}: {what} must be {expected} as in the first image, got {value}; "
            "give the settings size (to crop) and grey (to convert) for mixed images"
        )
