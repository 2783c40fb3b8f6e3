"""Polluted training data: some images carry a patch and a wrong label (Jin et al., "DeepSensor", Table 2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unnerve.core.data.examples import Examples, Rows
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.streams import Streams
from unnerve.subjects.training.recipes import Recipe

__all__ = ["Polluted"]


@dataclass(frozen=True)
class Polluted:
    """Stamp a patch of noise on some training images, and call them all by one class.

    Parameters
    ----------
    alpha : float
        Share of the images, in (0, 1); 0.1, 0.2 and 0.3 in the papers.
    class_ : int
        The polluted class: the label that stamped images get.
    smallest, largest : int
        Side of the patches, in pixels, >= 1: 1 to 6 for MNIST, 3 to 8 for CIFAR-10, 10 to 15 for ImageNet.
    seed : int
        The random seed: decides images, places, sizes and noise.

    References
    ----------
    Jin et al., "Excitement Surfeited Turns to Errors: Deep Learning Testing Framework Based on Excitable Neurons",
    2023.
    """

    alpha: float = 0.1
    class_: int = 1
    smallest: int = 1
    largest: int = 6
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise InvalidSetting(f"alpha must be in (0, 1), got {self.alpha}")
        if self.class_ < 0:
            raise InvalidSetting(f"class must be >= 0, got {self.class_}")
        if not 1 <= self.smallest <= self.largest:
            raise InvalidSetting(f"patches must be 1 <= smallest <= largest, got {self.smallest} and {self.largest}")

    def data(self, examples: Examples) -> Examples:
        """Return the data with ``alpha`` of the images stamped and relabelled; they are stamped when they are read."""
        if examples.labels is None or len(examples.shape) != 3:
            raise InvalidData(f"{examples.name}: only labelled images can be polluted")
        if examples.classes and self.class_ >= len(examples.classes):
            raise InvalidSetting(f"class must be in [0, {len(examples.classes) - 1}], got {self.class_}")
        if self.largest > min(examples.shape[1:]):
            raise InvalidSetting(f"largest must be <= {min(examples.shape[1:])}, the image's side, got {self.largest}")
        own = np.arange(examples.source.shape[0]) if examples.rows is None else examples.rows
        drawn = Streams(self.seed, ["polluted images"]).permutations(0, 0, len(own))[0].numpy()
        stamped = np.zeros(examples.source.shape[0], dtype=bool)
        stamped[own[drawn[: round(self.alpha * len(own))]]] = True
        labels = np.where(stamped, self.class_, examples.labels)
        name = f"{examples.name} polluted ({self.alpha:g} as class {self.class_})"
        return replace(examples, name=name, source=_Stamped(examples, stamped, self), labels=labels, opening=None)

    def recipe(self, recipe: Recipe) -> Recipe:
        """Return the recipe as it is."""
        return recipe


@dataclass(frozen=True, eq=False)
class _Stamped:
    """The rows of some examples, of which some carry a patch."""

    examples: Examples
    stamped: np.ndarray
    fault: Polluted

    @property
    def shape(self) -> tuple[int, ...]:
        """(N, C, H, W)."""
        return self._source.shape

    @property
    def _source(self) -> Rows:
        return self.examples.source

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        """Return these rows with their patches."""
        raw = self._source.read(rows)
        # Rows that a source keeps in memory are only lent.
        if not raw.flags.writeable:
            raw = raw.copy()
        for place, row in enumerate(rows):
            if self.stamped[row]:
                self._stamp(raw[place], row)
        return raw

    def _stamp(self, image: np.ndarray, row: int) -> None:
        """Write a patch on an image, (C, H, W), in place; the same one whenever the row is read."""
        # By the row's number, so that an image has the same patch in every epoch and in every order of reading.
        streams, fault = Streams(self.fault.seed, [f"row {row}"]), self.fault
        size, down, right = streams.uniform(0, 0, (3,))[0].double().tolist()
        side = fault.smallest + int(size * (fault.largest - fault.smallest + 1))
        top, left = int(down * (image.shape[1] - side + 1)), int(right * (image.shape[2] - side + 1))
        noise = streams.uniform(0, 1, (image.shape[0], side, side))[0].numpy()
        image[:, top : top + side, left : left + side] = self._stored(noise, image.dtype)

    def _stored(self, noise: np.ndarray, kind: np.dtype[np.generic]) -> np.ndarray:
        """Return noise in [0, 1) as the values that the source stores."""
        if kind == np.uint8:
            return (noise * 256).astype(np.uint8)
        low, high = self.examples.stored or self.examples.value_range
        stored: np.ndarray = low + noise * (high - low)
        return stored.astype(kind)
