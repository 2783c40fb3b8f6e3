"""How the networks of the zoo are trained: the papers' settings where they state them."""

from dataclasses import dataclass

from unnerve.core.errors import InvalidSetting

__all__ = ["Recipe", "recipe_for"]


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
    schedule : str
        ``constant``, or ``cosine``: from ``rate`` down to zero.
    seed : int
        Decides initial weights, order of examples and dropout.
    """

    epochs: int = 10
    batch: int = 128
    rate: float = 0.001
    optimiser: str = "adam"
    momentum: float = 0.0
    schedule: str = "cosine"
    seed: int = 0

    def __post_init__(self) -> None:
        rules = [
            (self.epochs >= 1, f"epochs must be >= 1, got {self.epochs}"),
            (self.batch >= 1, f"batch must be >= 1, got {self.batch}"),
            (self.rate > 0, f"rate must be > 0, got {self.rate}"),
            (self.optimiser in ("sgd", "adam"), f"optimiser must be sgd or adam, got '{self.optimiser}'"),
            (0 <= self.momentum < 1, f"momentum must be in [0, 1), got {self.momentum}"),
            (self.schedule in ("constant", "cosine"), f"schedule must be constant or cosine, got '{self.schedule}'"),
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
        return Recipe(60, 64, 0.01, "sgd", 0.9)
    return Recipe()
