"""Rows of image files, decoded when they are asked for."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from unnerve.core.errors import InvalidData, InvalidSetting, UserError

__all__ = ["ImageRows", "image_rows", "pixels"]

_GREY = frozenset({"1", "L", "LA"})
_COLOUR = frozenset({"RGB", "RGBA", "RGBX", "P", "PA", "CMYK", "YCbCr", "LAB", "HSV"})


@dataclass(frozen=True)
class ImageRows:
    """Image files as rows of uint8.

    Parameters
    ----------
    files : tuple of Path
    shape : (int, int, int, int)
        (N, C, H, W), where C is 1 or 3.
    cropped : bool
        Whether images are resized until the short side fits and cropped in the centre, or have one size.
    """

    files: tuple[Path, ...]
    shape: tuple[int, int, int, int]
    cropped: bool

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Decode these files, shape (len(rows), C, H, W)."""
        _, channels, height, width = self.shape
        out = np.empty((len(rows), channels, height, width), dtype=np.uint8)
        for place, path in zip(out, (self.files[row] for row in rows), strict=True):
            with _opened(path) as image:
                fitted = _centre(image, height) if self.cropped else image
                _check(path, "size", fitted.size, (width, height))
                place[...] = pixels(fitted, grey=channels == 1)
        return out


def image_rows(files: Sequence[Path], size: int | None, grey: bool | None) -> ImageRows:
    """Return the rows of image files, after a look at the sizes and modes that are not settled by settings.

    Parameters
    ----------
    files : sequence of Path, not empty
    size : int or None
        Height and width to crop to; None if all images have one size.
    grey : bool or None
        Grey or colour; None if all images are of one kind.
    """
    if size is not None and size < 1:
        raise InvalidSetting(f"size must be >= 1, got {size}")
    with _opened(files[0]) as image:
        width, height = (size, size) if size else image.size
        is_grey = _is_grey(image) if grey is None else grey
    for path in files if size is None or grey is None else ():
        with _opened(path) as image:
            if size is None:
                _check(path, "size", image.size, (width, height))
            if grey is None:
                _check(path, "grey", _is_grey(image), is_grey)
    return ImageRows(tuple(files), (len(files), 1 if is_grey else 3, height, width), size is not None)


def pixels(image: Image.Image, grey: bool | None = None) -> np.ndarray:
    """Return an image as uint8 of shape (C, H, W), where C is 1 (grey) or 3; transparency is dropped."""
    mode = "L" if (_is_grey(image) if grey is None else grey) else "RGB"
    if "transparency" in image.info:
        image = image.convert("RGBA")
    values = np.array(image.convert(mode))
    return values[None] if mode == "L" else np.ascontiguousarray(values.transpose(2, 0, 1))


@contextmanager
def _opened(path: Path) -> Iterator[Image.Image]:
    try:
        with Image.open(path) as image:
            if image.mode not in _GREY | _COLOUR:
                raise InvalidData(f"{path}: must be an image of 8 bits a channel, got mode {image.mode}")
            yield image
    except UserError:
        raise
    # The decoders of damaged images fail in many ways, OSError being only the commonest.
    except Exception as error:
        raise InvalidData(f"{path}: must be an image, whole and undamaged: {error}") from error


def _is_grey(image: Image.Image) -> bool:
    return image.mode in _GREY


def _check(path: Path, what: str, value: object, expected: object) -> None:
    if value != expected:
        raise InvalidData(
            f"{path}: {what} must be {expected} as in the first image, got {value}; "
            "give the settings size (to crop) and grey (to convert) for mixed images"
        )


def _centre(image: Image.Image, size: int) -> Image.Image:
    """Resize until the short side is ``size``, then cut out the middle."""
    width, height = image.size
    short = min(width, height)
    scaled = image if image.mode not in {"1", "P", "PA"} else image.convert("RGBA" if image.mode != "1" else "L")
    scaled = scaled.resize((size * width // short, size * height // short), Image.Resampling.BILINEAR)
    left, top = round((scaled.width - size) / 2), round((scaled.height - size) / 2)
    return scaled.crop((left, top, left + size, top + size))
