"""How the networks of the zoo are trained: the papers' settings where they state them."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["Recipe", "recipe_for"]

_SCHEDULES = ("constant", "cosine", "one_cycle")
_PRECISIONS = ("float32", "bfloat16")
_STORED = ("float32", "float16")


@dataclass(frozen=True)
class Recipe:
    """Settings of a training run.

    Parameters
    ----------
    epochs : int
        Passes over the data, >= 1.
    batch : int
        Examples per step, >= 1.
    rate : float
        Learning rate, > 0.
    optimiser : str
        ``sgd`` or ``adam``.
    momentum : float
        For ``sgd``, in ``[0, 1)``.
    decay : float
        Weight decay, >= 0.
    schedule : str
        ``constant``; ``cosine``: from ``rate`` down to zero; or ``one_cycle``: up to ``rate`` in the first quarter of
        the steps, then down to zero.
    flip : bool
        Flip every second image left to right, at random.
    shift : int
        Shift images by up to so many pixels, at random, >= 0.
    batch_norm : bool
        Train with a batch norm behind every convolution, and fold it into the convolution's weights afterwards: the
        network stays as it is, and learns in fewer epochs.
    precision : str
        ``float32``, or ``bfloat16`` for the passes (weights stay in float32): about twice as fast where the processor
        has it.
    stored : str
        ``float32``, or ``float16`` for weights that are rounded after training: their file is half as large.
    seed : int
        Decides initial weights, order of examples and dropout.
    """

    epochs: int = 10
    batch: int = 128
    rate: float = 0.001
    optimiser: str = "adam"
    momentum: float = 0.0
    decay: float = 0.0
    schedule: str = "cosine"
    flip: bool = False
    shift: int = 0
    batch_norm: bool = False
    precision: str = "float32"
    stored: str = "float32"
    seed: int = 0

    def __post_init__(self) -> None:
        rules = [
            (self.epochs >= 1, f"epochs must be >= 1, got {self.epochs}"),
            (self.batch >= 1, f"batch must be >= 1, got {self.batch}"),
            (self.rate > 0, f"rate must be > 0, got {self.rate}"),
            (self.optimiser in ("sgd", "adam"), f"optimiser must be sgd or adam, got '{self.optimiser}'"),
            (0 <= self.momentum < 1, f"momentum must be in [0, 1), got {self.momentum}"),
            (self.decay >= 0, f"decay must be >= 0, got {self.decay}"),
            (self.schedule in _SCHEDULES, f"schedule must be {' or '.join(_SCHEDULES)}, got '{self.schedule}'"),
            (self.shift >= 0, f"shift must be >= 0, got {self.shift}"),
            (self.precision in _PRECISIONS, f"precision must be {' or '.join(_PRECISIONS)}, got '{self.precision}'"),
            (self.stored in _STORED, f"stored must be {' or '.join(_STORED)}, got '{self.stored}'"),
            (0 <= self.seed < 2**63, f"seed must be in [0, 2**63), got {self.seed}"),
        ]
        for holds, message in rules:
            if not holds:
                raise InvalidSetting(message)


def recipe_for(name: str, shape: tuple[int, ...]) -> Recipe:
    """Return the usual recipe of a zoo network for inputs of this shape.

    Net-1 and Net-2 follow NSATP's Table II (PEACEPACT's Table III): plain SGD, batch 512, rate 0.1 for 20 epochs on
    28x28 images and 0.01 for 60 epochs on 32x32 ones. The papers of the others state no recipe; theirs is ours.
    """
    if name in ("net1", "net2", "peacepact_net1"):
        large = shape[-1] >= 32
        return Recipe(60 if large else 20, 512, 0.01 if large else 0.1, "sgd", schedule="constant")
    if name == "nin":
        return Recipe(
            14,
            128,
            0.1,
            "sgd",
            0.9,
            5e-4,
            "one_cycle",
            flip=True,
            shift=4,
            batch_norm=True,
            precision="bfloat16",
        )
    if name in ("deep_speaker", "resnet34"):
        return Recipe(30, 32, 0.002, schedule="one_cycle")
    return Recipe()
