"""MNIST, handwritten digits (LeCun, Cortes and Burges, 1998)."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._idx import idx_examples

__all__ = ["mnist"]


def mnist(path: str | Path, split: str = "test") -> Examples:
    """Read MNIST.

    Parameters
    ----------
    path : path
        A folder with the four official idx files, gzipped or not, or with ``train.npz`` and ``test.npz``
        (keys ``x``, ``y``), or with an npz file in Keras' form (``x_train``, ``y_train``, ``x_test``,
        ``y_test``); or such an npz file itself.
    split : {"train", "test"}
        60,000 or 10,000 digits.

    Returns
    -------
    Examples of shape (1, 28, 28)
        Values k/255; ten classes. Files that are not compressed are read piece by piece.
    """
    return idx_examples("mnist", path, split, tuple("0123456789"))
