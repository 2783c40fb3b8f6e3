"""Sounds: what is known of inputs that are clips of speech or other sound."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting

__all__ = ["FORMS", "Clips", "padding_of"]

FORMS = ("waveform", "logmel")
"""Samples (L,) in [-1, 1], padded with zeros; or log-mel features (1, bands, frames) in [-1, 1], padded with -1."""


@dataclass(frozen=True)
class Clips:
    """What is known of clips.

    Parameters
    ----------
    rate : int
        Samples per second, > 0.
    form : str
        One of ``FORMS``.
    """

    rate: int
    form: str = "waveform"

    def __post_init__(self) -> None:
        if self.rate < 1:
            raise InvalidSetting(f"rate must be >= 1, got {self.rate}")
        if self.form not in FORMS:
            raise InvalidSetting(f"form must be {' or '.join(FORMS)}, got '{self.form}'")

    @property
    def silence(self) -> float:
        """The value with which shorter clips are padded at their end."""
        return 0.0 if self.form == "waveform" else -1.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Clips":
        """Read what :meth:`to_json` returned; raises KeyError, TypeError, ValueError or InvalidSetting."""
        return cls(int(value["rate"]), str(value["form"]))


def padding_of(x: Tensor, silence: float = 0.0) -> Tensor:
    """Say which values lie behind the end of a clip: bool, like ``x`` in its last axis, 1 in the others but the first.

    A clip ends with the last moment at which any of its values is not ``silence``; silence inside a clip belongs to it.

    Parameters
    ----------
    x : Tensor of shape (N, L) or (N, ..., L)
    silence : float

    Returns
    -------
    Tensor of shape (N, L) or (N, 1, ..., L)

    Examples
    --------
    >>> import torch
    >>> from unnerve.core.data.clips import padding_of
    >>> padding_of(torch.tensor([[0.0, 0.5, 0.0, 0.0]])).tolist()
    [[False, False, True, True]]
    """
    # Exactly, not nearly: the quiet end of a clip belongs to it, and only padding is silence to the bit.
    heard = x.detach() != silence
    for axis in range(1, x.ndim - 1):
        heard = heard.any(dim=axis, keepdim=True)
    # Counted from the end: nothing but silence up to there.
    return heard.flip(-1).to(torch.int32).cumsum(dim=-1).flip(-1) == 0
