"""Data sets of Hugging Face in a local folder, as ``datasets`` saves them; the library itself is not needed."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._images.resizing import Resizing
from unnerve.subjects.datasets._saved.examples import SavedWish, saved_examples
from unnerve.subjects.datasets._saved.folder import chosen_split, is_saved, saved_features, saved_table

__all__ = ["hf"]


def hf(
    path: str | Path,
    split: str | None = None,
    label: str | None = None,
    size: int | None = None,
    crop: float | None = 0.875,
    interpolation: str = "bicubic",
    grey: bool | None = None,
) -> Examples:
    """Read a data set of Hugging Face from the folder into which ``save_to_disk`` wrote it.

    Parameters
    ----------
    path : path
        Of a ``Dataset`` or a ``DatasetDict``. A column of images, of arrays (lists of one shape) or, if there is
        neither, all columns of numbers are the inputs. Nothing is downloaded; rows stay on disk until they are needed.
    split : str, optional
        Of a ``DatasetDict``; by default ``test``, ``validation`` or ``train``, whichever is there first.
    label : str, optional
        The column of labels; by default one of classes, or one called label, target, class or y; ``none`` for none.
    size, crop, interpolation, grey : int, float, str and bool, optional
        Of images, as of :func:`~unnerve.subjects.datasets.imagefolder.imagefolder`.

    Returns
    -------
    Examples of shape (C, H, W) for images, of a row's own shape for arrays, (F,) for tables

    Examples
    --------
    >>> from unnerve.subjects.datasets.hf import hf
    >>> flowers = hf("flowers", split="validation", size=224)
    """
    whole = Path(path).expanduser()
    if not is_saved(whole):
        raise InvalidData(f"hf: must be a folder that save_to_disk wrote, got '{whole}'; nothing is downloaded by name")
    folder = chosen_split(whole, split)
    wish = SavedWish(f"hf:{folder}", label, Resizing(size, crop, interpolation), grey)
    return saved_examples(saved_table(folder), saved_features(folder), wish)
