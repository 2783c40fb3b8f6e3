"""Any data in numpy's own file format."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.subjects.datasets._files import existing_file
from unnerve.subjects.datasets._npz import npz_examples
from unnerve.subjects.datasets._stored_range import held_in

__all__ = ["npz"]


def npz(path: str | Path, split: str | None = None, stored_range: tuple[float, float] | None = None) -> Examples:
    """Read an npz file; arrays that are not compressed are read piece by piece, and may exceed memory.

    Parameters
    ----------
    path : path
        Keys: ``x``, uint8 or floating point, of shape (N, ...); optionally ``y``, integers or names, of shape (N,);
        optionally ``classes``, names in the order of their numbers. Images, (N, H, W, C) and uint8 of shape
        (N, H, W), are turned into (N, C, H, W); other shapes stay. Pickled objects are refused.
    split : str, optional
        Reads ``x_SPLIT`` and ``y_SPLIT`` instead.
    stored_range : (float, float), optional
        The range in which floating-point values lie; they stay as they are.

    Returns
    -------
    Examples of the shape of one input
        Values in [0, 1], k/255 for uint8, unless ``stored_range`` says otherwise.
    """
    file = existing_file(path, "npz")
    suffix = "" if split is None else f"_{split}"
    return held_in(npz_examples(str(path), file, suffix), stored_range)
