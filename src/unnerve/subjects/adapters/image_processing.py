"""What an image processor does to an image before a network sees it, with gradients."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch.nn.functional import interpolate

from unnerve.core.errors import InvalidModel
from unnerve.subjects.input_facts import InputFacts

__all__ = ["ImageProcessing", "image_processing"]

_MODES = {0: "nearest", 1: "bicubic", 2: "bilinear", 3: "bicubic"}
"""Pillow's numbers of its filters -> torch's names; Lanczos, which torch lacks, becomes bicubic."""

_KNOWN = {
    *("do_resize", "do_center_crop", "do_rescale", "do_normalize", "do_flip_channel_order"),
    *("do_convert_rgb", "do_reduce_labels"),  # images have their channels, and labels are not ours to change
}
_CONVNEXT_WARPS_FROM = 384


@dataclass(frozen=True)
class ImageProcessing:
    """Resizing, cropping and normalising, as values.

    Parameters
    ----------
    size : (int, int) or int or None
        Height and width, or the length of the shorter side; None leaves images as they are.
    mode : str
        How torch interpolates.
    crop : (int, int) or None
        Height and width of the middle that is kept.
    scale, offset : float
        Images in [0, 1] are multiplied by the one, then the other is added.
    mean, std : tuple of float
        Subtracted, and divided by; one per channel, or one.
    flips_channels : bool
        Whether the order of channels is turned around, red to blue.
    """

    size: tuple[int, int] | int | None = None
    mode: str = "bilinear"
    crop: tuple[int, int] | None = None
    scale: float = 1.0
    offset: float = 0.0
    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    flips_channels: bool = False

    def __call__(self, x: Tensor) -> Tensor:
        """Return images (N, C, H, W) in [0, 1] as the network takes them."""
        x = self._cropped(self._resized(x)) * self.scale + self.offset
        shape = (1, -1, 1, 1)
        x = (x - x.new_tensor(self.mean).view(shape)) / x.new_tensor(self.std).view(shape)
        return x.flip(1) if self.flips_channels else x

    def in_words(self) -> str:
        """Return the steps for a person."""
        side = f"{self.size[0]} x {self.size[1]}" if isinstance(self.size, tuple) else f"shorter side {self.size}"
        resized = "" if self.size is None else f"resized to {side}, "
        cropped = "" if self.crop is None else f"cropped to {self.crop[0]} x {self.crop[1]}, "
        return f"{resized}{cropped}normalised"

    def facts(self, channels: int) -> InputFacts:
        """Return how files of images are read, so that all that is left to do here is to cut and to normalise them."""
        side = self.size if isinstance(self.size, int) else self.size[0] if self.size is not None else None
        # Images of one size are needed; without a crop those of the processor may have any proportions.
        square = self.crop is not None if isinstance(self.size, int) else len(set(self.size or ())) == 1
        if not square or channels not in {1, 3}:
            return InputFacts()
        crop = 1.0 if isinstance(self.size, int) else None
        return InputFacts(size=side, crop=crop, interpolation=self.mode, grey=channels == 1)

    def _resized(self, x: Tensor) -> Tensor:
        height, width = x.shape[-2:]
        if self.size is None:
            return x
        wanted = self.size if isinstance(self.size, tuple) else _by_shorter_side(height, width, self.size)
        if wanted == (height, width):
            return x
        # As Pillow: every pixel of a larger image counts; bicubic can leave the range, which 8 bits would not.
        smooth = self.mode != "nearest"
        return interpolate(x, wanted, mode=self.mode, antialias=smooth).clamp(0, 1)

    def _cropped(self, x: Tensor) -> Tensor:
        if self.crop is None:
            return x
        (height, width), (wanted_height, wanted_width) = x.shape[-2:], self.crop
        if height < wanted_height or width < wanted_width:
            raise InvalidModel(f"images of {height} x {width} cannot be cropped to {wanted_height} x {wanted_width}")
        top, left = (height - wanted_height) // 2, (width - wanted_width) // 2
        return x[..., top : top + wanted_height, left : left + wanted_width]


def image_processing(said: Mapping[str, Any], name: str) -> ImageProcessing:
    """Return the steps that the settings of an image processor describe; what we cannot do is an error.

    Parameters
    ----------
    said : dict
        The attributes of the processor: ``do_resize``, ``size``, ``resample``, ``image_mean`` ...
    name : str
        The model's, for errors.
    """
    strange = [key for key, value in said.items() if key.startswith("do_") and value and key not in _KNOWN]
    if strange:
        raise InvalidModel(f"{name}: its image processor does what is not known here: {', '.join(strange)}")
    size = _size(said.get("size"), name) if said.get("do_resize") else None
    crop = _pair(_size(said.get("crop_size"), name)) if said.get("do_center_crop") else None
    if isinstance(size, int) and said.get("crop_pct"):  # ConvNeXt: small images keep a border, large ones are warped
        warps = size >= _CONVNEXT_WARPS_FROM
        size, crop = ((size, size), None) if warps else (int(size / said["crop_pct"]), (size, size))
    normalises = bool(said.get("do_normalize"))
    return ImageProcessing(
        size=size,
        mode=_MODES.get(int(said.get("resample") or 0) if said.get("resample") is not None else 2, "bilinear"),
        crop=crop,
        # Processors are given values from 0 to 255; ours lie in [0, 1].
        scale=255 * float(said.get("rescale_factor") or 1) if said.get("do_rescale") else 255.0,
        offset=-1.0 if said.get("rescale_offset") else 0.0,
        mean=tuple(said["image_mean"]) if normalises else (0.0,),
        std=tuple(said["image_std"]) if normalises else (1.0,),
        flips_channels=bool(said.get("do_flip_channel_order")),
    )


def _size(size: Any, name: str) -> tuple[int, int] | int:
    if isinstance(size, int):
        return size
    given = dict(size or {})
    if given.get("height") and given.get("width"):
        return int(given["height"]), int(given["width"])
    if given.get("shortest_edge") and not given.get("longest_edge"):
        return int(given["shortest_edge"])
    raise InvalidModel(f"{name}: its image processor has a size that is not known here: {given}")


def _pair(size: tuple[int, int] | int) -> tuple[int, int]:
    return size if isinstance(size, tuple) else (size, size)


def _by_shorter_side(height: int, width: int, wanted: int) -> tuple[int, int]:
    if height <= width:
        return wanted, int(wanted * width / height)
    return int(wanted * height / width), wanted
