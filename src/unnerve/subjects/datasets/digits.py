"""The 8x8 handwritten digits of scikit-learn (Alpaydin and Kaynak, UCI repository, 1998)."""

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._packaged import packaged_table
from unnerve.subjects.datasets._split import part, shuffled_order
from unnerve.subjects.datasets._tables.rows import ArrayRows

__all__ = ["digits"]


def digits(split: str = "all") -> Examples:
    """Return the 1,797 digits inside scikit-learn, in one fixed shuffled order.

    Parameters
    ----------
    split : {"all", "train", "test"}
        ``train`` is the first four fifths of the order (1,437), ``test`` the rest (360).

    Returns
    -------
    Examples of shape (1, 8, 8)
        Values k/16, k = 0 to 16; ten classes.
    """
    table = packaged_table("sklearn", "datasets/data/digits.csv.gz")
    if table is None:
        raise InvalidData("digits: scikit-learn must carry datasets/data/digits.csv.gz, found none")
    table = table[shuffled_order(len(table))]
    images = table[:, :-1].reshape(-1, 1, 8, 8).astype(np.float32) / 16
    labels = table[:, -1].astype(np.int64)
    classes = tuple("0123456789")
    return part(Examples("digits", ArrayRows(images), labels, classes), split)
