"""One of several natural changes (Hendrycks and Dietterich, ICLR 2019)."""

from dataclasses import dataclass

from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.methods import Perturbation
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams

__all__ = ["CHANGES", "SOUNDS", "Natural"]

SOUNDS = ("background_noise", "gain", "time_shift", "band_limit", "reverberation")
"""Natural changes of waveforms, by name; the others are of images."""

CHANGES = (
    "brightness",
    "contrast",
    "saturation",
    "defocus_blur",
    "motion_blur",
    "rotation",
    "translation",
    "scale",
    "shear",
    "jpeg",
    "pixelation",
    "gaussian_noise",
    "shot_noise",
    "salt_and_pepper",
    "fog",
    *SOUNDS,
)
"""Every natural change, by name."""


@dataclass(frozen=True)
class Natural:
    """One natural change out of several; a third parameter says which.

    Parameters
    ----------
    changes : str
        ``all`` that fit the inputs, or names with a plus between them: ``rotation+fog``.

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """

    changes: str = "all"
    small = ("all", "rotation+fog")

    def __post_init__(self) -> None:
        unknown = [] if self.changes == "all" else [one for one in self.changes.split("+") if one not in CHANGES]
        if unknown:
            raise InvalidSetting(f"changes must be all or some of {', '.join(CHANGES)}, got '{unknown[0]}'")

    def named(self, shape: tuple[int, ...]) -> tuple[str, ...]:
        """Return the names of the changes that inputs of this shape may undergo."""
        asked = CHANGES if self.changes == "all" else tuple(self.changes.split("+"))
        able = tuple(name for name in asked if build("perturbation", name).fits(shape))
        if not able:
            raise InvalidData(f"natural changes take images or waveforms, got inputs of shape {shape}")
        return able

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 3: strength, die, and which change."""
        return 3

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 3)."""
        return streams.uniform(step, 0, (count, 3))

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images or waveforms (N, ...) in [0, 1] by parameters (N, M, 3): (N, M, ...)."""
        names = self.named(tuple(inputs.shape[1:]))
        count = parameters.shape[1]
        which = (parameters[..., 2] * len(names)).long().clamp_max(len(names) - 1).flatten()
        images, flat = inputs.repeat_interleave(count, dim=0), parameters.flatten(0, 1).unsqueeze(1)
        made = images.clone()
        for place in which.unique().tolist():
            rows = (which == place).nonzero().flatten()
            change: Perturbation = build("perturbation", names[place])
            made[rows] = change.apply(images[rows], flat[rows]).squeeze(1)
        return made.view(len(inputs), count, *inputs.shape[1:])
