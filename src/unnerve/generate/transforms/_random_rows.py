"""Randomness of transforms: a row's numbers depend on its own bytes and the number of the draw, not on its company."""

import hashlib

from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams

__all__ = ["check_draw", "check_images", "row_streams"]


def row_streams(x: Tensor, draw: int) -> Streams:
    """Return streams for inputs (N, ...), one for each row's bytes."""
    # By bytes, so that a model behind a random transform still answers the same input alike: replay would fail else.
    names = [
        hashlib.blake2b(row.numpy().tobytes(), digest_size=16).hexdigest() for row in x.detach().cpu().contiguous()
    ]
    return Streams(draw, names)


def check_draw(draw: int) -> None:
    """Raise unless this can be the number of a draw."""
    if draw < 0:
        raise InvalidSetting(f"draw must be >= 0, got {draw}")


def check_images(who: str, x: Tensor) -> None:
    """Raise unless inputs are images, (N, C, H, W)."""
    if x.ndim != 4:
        raise InvalidData(f"{who} takes images, got inputs of shape {tuple(x.shape[1:])}")
