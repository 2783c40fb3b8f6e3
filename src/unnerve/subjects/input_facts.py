"""What a model expects of its inputs: a network of the zoo states it itself, others by what was saved beside them."""

from dataclasses import dataclass

from torch import nn

from unnerve.core.data.ranges import UNIT, ValueRange

__all__ = ["IMAGENET_MEAN", "IMAGENET_STD", "InputFacts", "facts_of"]

# What nearly all networks for ImageNet were trained with.
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class InputFacts:
    """How inputs are brought to what a network was trained with, so that no option has to say it.

    Parameters
    ----------
    value_range : (float, float)
        Of the values that it expects, before it normalises them.
    mean, std : tuple of float
        Subtracted, and divided by; one value or one per channel; empty for none.
    size : int or None
        Side of its images in pixels; a folder of images is resized and cropped to it.
    crop : float or None
        Share of the short side that the crop keeps, see ``imagefolder``.
    interpolation : str
        How images are resized.
    grey : bool
        Whether they are grey; they are RGB otherwise.
    rate : int or None
        Samples per second of the sounds that it listens to; clips of another rate are resampled.
    """

    value_range: ValueRange = UNIT
    mean: tuple[float, ...] = ()
    std: tuple[float, ...] = ()
    size: int | None = None
    # 224 of 256 pixels, as most networks for ImageNet are tested.
    crop: float | None = 0.875
    interpolation: str = "bicubic"
    grey: bool = False
    rate: int | None = None

    def settings_of_data(self) -> dict[str, object]:
        """Return the settings that data sets which know them are read with, unless the user names others."""
        names = [] if self.size is None else ["size", "crop", "interpolation", "grey"]
        return {name: getattr(self, name) for name in [*names, *(["rate"] if self.rate is not None else [])]}


def facts_of(module: object) -> InputFacts:
    """Return what a module states of its inputs; values in [0, 1] and nothing else if it states nothing."""
    found = getattr(module, "input_facts", None) if isinstance(module, nn.Module) else None
    return found if isinstance(found, InputFacts) else InputFacts()
