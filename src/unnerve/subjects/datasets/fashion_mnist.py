"""Fashion-MNIST, pieces of clothing (Xiao, Rasul and Vollgraf, arXiv:1708.07747)."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._idx import idx_examples

__all__ = ["fashion_mnist"]

_CLASSES = (
    "T-shirt/top",
    "Trouser",
    "Pullover",
    "Dress",
    "Coat",
    "Sandal",
    "Shirt",
    "Sneaker",
    "Bag",
    "Ankle boot",
)


def fashion_mnist(path: str | Path, split: str = "test") -> Examples:
    """Read Fashion-MNIST.

    Parameters
    ----------
    path : path
        A folder or npz file in one of the forms of :func:`~unnerve.subjects.datasets.mnist.mnist`.
    split : {"train", "test"}
        60,000 or 10,000 images.

    Returns
    -------
    Examples of shape (1, 28, 28)
        Values k/255; ten classes. Files that are not compressed are read piece by piece.
    """
    return idx_examples("fashion-mnist", path, split, _CLASSES)
