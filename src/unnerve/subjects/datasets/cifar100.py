"""CIFAR-100, photographs of a hundred classes (Krizhevsky, "Learning multiple layers of features", 2009)."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._cifar import Cifar, cifar_examples

__all__ = ["cifar100"]

_LAYOUT = Cifar(
    name="cifar100",
    subfolders=("cifar-100-python", "cifar-100-binary"),
    batches={"train": ("train",), "test": ("test",)},
    label_key="fine_labels",
    label_bytes=2,
    meta="meta",
    meta_key="fine_label_names",
)


def cifar100(path: str | Path, split: str = "test") -> Examples:
    """Read CIFAR-100 with its hundred fine labels.

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
        Values k/255; a hundred classes, named if the file ``meta`` is there, else numbered.
    """
    return cifar_examples(_LAYOUT, path, split, tuple(map(str, range(100))))
