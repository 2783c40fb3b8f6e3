"""DeepHunter's operators that change values in their places: pixels, noise, and in a norm's ball light and blur."""

import torch
from torch import Tensor

from unnerve.core.data.conversion import converted, perturbed
from unnerve.core.data.ranges import UNIT, ValueRange
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.gaussian_noise import noisy
from unnerve.generate.perturbations.metamorphic import OPERATORS, Metamorphic

__all__ = ["PIXEL_OPERATORS", "lit_or_blurred", "pixel_mutants"]

PIXEL_OPERATORS = ("pixels", "gaussian", "salt_and_pepper", "multiplicative")
"""One of the first two of the release, pixel change and noise, is drawn; of noise there are three kinds."""

_MOST_PIXELS = 9
_SALTED = 0.004
_VARIANCE = 0.1
_PIXELS, _GAUSSIAN, _SALT, _MULTIPLICATIVE = range(4)


def pixel_mutants(images: Tensor, draws: Tensor, held: ValueRange, streams: Streams, step: int) -> Tensor:
    """Change some pixels of each image, or add noise.

    Parameters
    ----------
    images : Tensor of shape (K, ...)
    draws : Tensor of shape (K, 2)
        Uniform in [0, 1): which operator, and how many pixels.
    held : (float, float)
        The range of valid values.
    streams : Streams
        Of the pool; its draws 2 and 3 of this step are taken.
    step : int

    Returns
    -------
    Tensor of shape (K, ...)
        In the range.
    """
    made = converted(images, held, UNIT).clone()
    flat = made.view(len(made), -1)
    # Half of the mutants have changed pixels, half have noise, in equal parts of its three kinds.
    kind = torch.where(draws[:, 0] < 0.5, _PIXELS, 1 + ((draws[:, 0] - 0.5) * 6).long().clamp_(0, 2))
    _scatter(flat, kind, draws[:, 1], streams.uniform(step, 2, (len(made), 2, _spots(flat.shape[1])))[0])
    rows = ((kind == _GAUSSIAN) | (kind == _MULTIPLICATIVE)).nonzero().flatten()
    if len(rows):
        noise = streams.normal(step, 3, (len(rows), flat.shape[1]))[0]
        # Differs: in the release the variance is 0.1 of values up to 255, which changes nothing, and products wrap
        # around at 256; here both are shares of the range, and the region cuts off what goes too far.
        strength = torch.where((kind[rows] == _GAUSSIAN).unsqueeze(1), _VARIANCE**0.5, flat[rows])
        flat[rows] = noisy(flat[rows], noise, strength)
    return converted(made.clamp_(*UNIT), UNIT, held)


def lit_or_blurred(images: Tensor, draws: Tensor, held: ValueRange) -> Tensor:
    """Change contrast or brightness of each image, or blur it, by draws (K, 2): which, and how much."""
    first = OPERATORS.index("contrast")
    operators = first + (draws[:, 0] * (len(OPERATORS) - first)).long().clamp_max(len(OPERATORS) - first - 1)
    parameters = Metamorphic.chosen(operators, draws[:, 1]).unsqueeze(1)
    return perturbed(Metamorphic(), images, parameters, held).squeeze(1)


def _spots(size: int) -> int:
    return max(_MOST_PIXELS, 2 * max(1, round(_SALTED * size)))


def _scatter(flat: Tensor, kind: Tensor, share: Tensor, draws: Tensor) -> None:
    """Write single values: 1 to 9 of any size, or as many white as black ones."""
    # The natural change ``salt_and_pepper`` is about a share of all values, and needs a number drawn for each; a mutant
    # has a few spots, counted, because the rule of a lineage is about how many values changed.
    size, spots = flat.shape[1], draws.shape[2]
    places, values = (draws[:, 0].double() * size).long().clamp_max(size - 1), draws[:, 1]
    count = torch.where(kind == _PIXELS, 1 + (share * _MOST_PIXELS).long().clamp_max(_MOST_PIXELS - 1), 0)
    # Differs: salt is 1 of 255 in the release, which is another pepper; and of either it writes half the share, rounded
    # up, where here each is the whole share: 2 and 2 of 784 values there, 3 and 3 here.
    count = torch.where(kind == _SALT, 2 * max(1, round(_SALTED * size)), count)
    values = torch.where((kind == _SALT).unsqueeze(1), (torch.arange(spots) % 2).to(values.dtype), values)
    rows, columns = (torch.arange(spots) < count.unsqueeze(1)).nonzero().unbind(dim=1)
    # One spot after the other: where two fall on one place, the later one stays, whatever the batch.
    for spot in range(int(count.amax()) if len(count) else 0):
        own = rows[columns == spot]
        flat[own, places[own, spot]] = values[own, spot]
