"""DeepHunter's image transformations, one at a time (Xie et al., ISSTA 2019)."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import pad

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.generate.perturbations._warps import matrices, warped
from unnerve.generate.perturbations.brightness import brightened

__all__ = ["OPERATORS", "Metamorphic", "median"]

OPERATORS = ("translation", "scale", "shear", "rotation", "contrast", "brightness", "blur")
"""What can be done to an image, in the order of the release."""

_NOTHING = 0.02
"""The share of the first parameter that leaves an image as it is."""

_TAPS = 7
_GAUSSIANS = {3: 0.8, 5: 1.1, 7: 1.4}  # OpenCV's standard deviations of kernels of these sizes
_MEDIANS = (3, 5)
_BLURS = 7


@dataclass(frozen=True)
class Metamorphic:
    """Move, resize, shear, turn, lighten, brighten or blur an image, in the ranges of the DeepHunter release.

    The two parameters are which transformation, and how much: translation by -3 to 2 pixels along both sides, scale
    0.7 to 1.1, shear -0.6 to 0.5, rotation -50 to 49 degrees, contrast 0.5 to 1.2, brightness -20 to 19 of 255, and
    seven blurs. Below 0.02 the first leaves the image as it is.

    References
    ----------
    Xie et al., "DeepHunter: A Coverage-Guided Fuzz Testing Framework for Deep Neural Networks", 2019.
    """

    identity = (0.0, 0.0)
    """Parameters that change nothing."""

    def fits(self, shape: tuple[int, ...]) -> bool:
        """Say whether inputs of this shape can be changed so."""
        return len(shape) == 3

    def dimensions(self, shape: tuple[int, ...]) -> int:
        """Return the number of parameters, 2."""
        return 2

    def draw(self, streams: Streams, step: int, count: int, shape: tuple[int, ...]) -> Tensor:
        """Draw parameters uniformly: (N, count, 2); some of them change nothing."""
        return streams.uniform(step, 0, (count, 2))

    @staticmethod
    def chosen(operators: Tensor, amounts: Tensor) -> Tensor:
        """Return parameters (K, 2) of operators, int64 (K,) places in ``OPERATORS``, and amounts (K,) in [0, 1)."""
        which = _NOTHING + (operators + 0.5) * ((1 - _NOTHING) / len(OPERATORS))
        return torch.stack([which.to(amounts.dtype), amounts], dim=1)

    def apply(self, inputs: Tensor, parameters: Tensor) -> Tensor:
        """Change images (N, C, H, W) in [0, 1] by parameters (N, M, 2): (N, M, C, H, W)."""
        if inputs.ndim != 4:
            raise InvalidData(f"metamorphic takes images, got inputs of shape {tuple(inputs.shape[1:])}")
        made = inputs.repeat_interleave(parameters.shape[1], dim=0)
        which, amounts = parameters.flatten(0, 1).double().unbind(dim=1)
        place = ((which - _NOTHING) * (len(OPERATORS) / (1 - _NOTHING))).floor().long().clamp_(-1, len(OPERATORS) - 1)
        for operators, change in ((range(4), _warped), (range(4, 6), _lit), (range(6, 7), _blurred)):
            rows = ((place >= operators.start) & (place < operators.stop)).nonzero().flatten()
            if len(rows):
                made[rows] = change(made[rows], place[rows], amounts[rows]).clamp_(0, 1)
        return made.view(len(inputs), parameters.shape[1], *inputs.shape[1:])


def _warped(images: Tensor, place: Tensor, amounts: Tensor) -> Tensor:
    """Move, resize, shear or turn each image: one resampling for all of them."""
    height, width = images.shape[2:]
    # Differs: the release resamples by cubic splines and shears about a corner; here bilinearly, about the centre.
    shift = torch.where(place == 0, (amounts * 6).floor() - 3, 0.0)
    size = torch.where(place == 1, 0.7 + 0.4 * amounts, 1.0)
    slant = torch.where(place == 2, -0.6 + 1.1 * amounts, 0.0)
    angle = torch.where(place == 3, torch.deg2rad(-50 + 99 * amounts), 0.0)
    cosine, sine, aspect = angle.cos() / size, angle.sin() / size, height / width
    right, down = -2 * shift / width, -2 * shift / height
    return warped(images, matrices(cosine, (slant - sine) * aspect, sine / aspect, cosine, right, down))


def _lit(images: Tensor, place: Tensor, amounts: Tensor) -> Tensor:
    """Multiply all values of an image by a number, or add one to them."""
    # Another contrast than that of natural changes, which brings values nearer to their mean: here nearer to black,
    # or farther from it. Brightness is the same in both.
    factor = torch.where(place == 4, 0.5 + 0.7 * amounts, 1.0).to(images.dtype)
    offset = torch.where(place == 5, (-20 + 39 * amounts) / 255, 0.0)
    return brightened(images * factor.view(-1, 1, 1, 1), offset)


def _blurred(images: Tensor, place: Tensor, amounts: Tensor) -> Tensor:
    """Average over a box or with normal weights, or take medians."""
    # Differs: the release has a box of four and a bilateral filter too; these seven are its odd-sized others. None of
    # them is the disc of any radius that the natural change ``defocus_blur`` averages over.
    kind = (amounts * _BLURS).long().clamp_max(_BLURS - 1)
    averaged, made = kind < len(_KERNELS), images.clone()
    if bool(averaged.any()):
        made[averaged] = _averaged(images[averaged], _KERNELS[kind[averaged]].to(images.dtype))
    for number, side in enumerate(_MEDIANS, start=len(_KERNELS)):
        rows = (kind == number).nonzero().flatten()
        if len(rows):
            made[rows] = median(images[rows], side)
    return made


def _averaged(images: Tensor, kernels: Tensor) -> Tensor:
    """Average images (K, C, H, W) along both sides with kernels (K, 7) of their own."""
    # Shift by shift and not as a convolution: the bits of a row must not depend on others, for the judge looks again.
    for side in (2, 3):
        reach = min(_TAPS // 2, images.shape[side] - 1)
        padded = pad(images, [0, 0, reach, reach] if side == 2 else [reach, reach, 0, 0], mode="reflect")
        total = torch.zeros_like(images)
        for tap in range(-reach, reach + 1):
            part = padded.narrow(side, reach + tap, images.shape[side])
            total += part * kernels[:, _TAPS // 2 + tap].view(-1, 1, 1, 1)
        images = total
    return images


def median(images: Tensor, side: int, padding: str = "reflect") -> Tensor:
    """Return images (N, C, H, W) after a median filter; of an even number the upper middle.

    Parameters
    ----------
    images : Tensor of shape (N, C, H, W)
    side : int
        Of the window.
    padding : str
        ``reflect`` or ``replicate``: what lies beyond the edge.

    Returns
    -------
    Tensor of shape (N, C, H, W)
    """
    height, width = images.shape[2:]
    # Nothing can be reflected farther than the image reaches.
    room = [one - 1 if padding == "reflect" else side for one in (width, height)]
    before, after = side // 2, side - 1 - side // 2
    padded = pad(images, [min(one, most) for most in room for one in (before, after)], mode=padding)
    parts = [
        padded[:, :, down : down + height, right : right + width]
        for down in range(padded.shape[2] - height + 1)
        for right in range(padded.shape[3] - width + 1)
    ]
    # Differs in nothing but time from sorting each pixel's neighbours: numpy partitions all pixels at once.
    middle = len(parts) // 2
    return torch.from_numpy(np.partition(torch.stack(parts).numpy(), middle, axis=0)[middle])


def _kernels() -> Tensor:
    """Return the kernels of boxes of 3 and 5 and of the normal weights, each of seven taps: (5, 7)."""
    places = torch.arange(_TAPS, dtype=torch.float64) - _TAPS // 2
    boxes = [(places.abs() <= side // 2).double() for side in (3, 5)]
    normal = [
        torch.exp(-places.square() / (2 * deviation**2)) * (places.abs() <= side // 2)
        for side, deviation in _GAUSSIANS.items()
    ]
    made = torch.stack(boxes + normal)
    return made / made.sum(dim=1, keepdim=True)


_KERNELS = _kernels()
