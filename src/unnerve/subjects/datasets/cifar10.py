"""CIFAR-10, small photographs of ten classes (Krizhevsky, "Learning multiple layers of features", 2009)."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._cifar import Cifar, cifar_examples

__all__ = ["cifar10"]

_CLASSES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
_LAYOUT = Cifar(
    name="cifar10",
    subfolders=("cifar-10-batches-py", "cifar-10-batches-bin"),
    batches={"train": tuple(f"data_batch_{number}" for number in range(1, 6)), "test": ("test_batch",)},
    label_key="labels",
    label_bytes=1,
    meta="batches.meta",
    meta_key="label_names",
)


def cifar10(path: str | Path, split: str = "test") -> Examples:
    """Read CIFAR-10.

    Parameters
    ----------
    path : path
        A folder with the official python version (which is read without running any pickled code) or binary
        version, unpacked, or with ``train.npz`` and ``test.npz`` (keys ``x``, ``y``).
    split : {"train", "test"}
        50,000 or 10,000 images in the official versions.

    Returns
    -------
    Examples of shape (3, 32, 32)
        Values k/255; ten classes.
    """
    return cifar_examples(_LAYOUT, path, split, _CLASSES)
