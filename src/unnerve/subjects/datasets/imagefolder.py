"""A folder of images: one folder for each class, or a table of labels, or no labels."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._files import existing_folder
from unnerve.subjects.datasets._images.listing import listing
from unnerve.subjects.datasets._images.resizing import Resizing
from unnerve.subjects.datasets._images.rows import ImageFiles, image_rows, unreadable

__all__ = ["imagefolder"]


def imagefolder(
    path: str | Path,
    split: str | None = None,
    size: int | None = None,
    crop: float | None = 0.875,
    interpolation: str = "bicubic",
    grey: bool | None = None,
    table: str | None = None,
    skip_unreadable: bool = False,
) -> Examples:
    """Read a folder of images; they are decoded when they are asked for, in as many threads as torch uses.

    Parameters
    ----------
    path : path
        ``CLASS/*.png`` (jpg, jpeg, bmp, gif, webp, tif), classes numbered in the order of their names; or images
        beside a ``labels.csv`` or ``metadata.csv`` with the columns ``file`` and ``label``, whole numbers (then a
        column ``name`` may name them) or names; or images alone, which then have no labels.
    split : str, optional
        A folder inside ``path`` to read instead.
    size : int, optional
        Resizes the short side of every image to size / crop, then cuts out the centre, size x size; without it all
        images must have one size.
    crop : float or None
        In (0, 1]; 0.875 is what networks for ImageNet expect, 1 keeps the whole short side, None squeezes the whole
        image into size x size.
    interpolation : str
        For resizing: ``nearest``, ``bilinear``, ``bicubic`` or ``lanczos``.
    grey : bool, optional
        Turns every image into grey or, if False, into RGB; without it all must be of one kind.
    table : path, optional
        A table of labels of another name or place, relative to ``path``.
    skip_unreadable : bool
        Leaves out images that cannot be decoded, and says which; all are decoded once to find them. Without it the
        first of them is an error.

    Returns
    -------
    Examples of shape (C, H, W)
        C is 1 or 3, values k/255; the ids are paths relative to ``path``.

    Examples
    --------
    >>> from unnerve.subjects.datasets.imagefolder import imagefolder
    >>> photos = imagefolder("photos", size=224, skip_unreadable=True)
    >>> photos.skipped
    """
    folder = existing_folder(path if split is None else Path(path) / split, "imagefolder")
    resizing = Resizing(size, crop, interpolation)
    found, skipped = listing(folder, table), frozenset[str]()
    # Decoding everything once costs a pass, so only who asks for it pays.
    if skip_unreadable:
        skipped = unreadable(folder, found.names)
        found = found.without(skipped)
        if not found.names:
            raise InvalidData(f"imagefolder: no image in '{folder}' can be read, such as {min(skipped)}")
    else:
        found.check_files()
    rows = image_rows(ImageFiles(folder, found.names), resizing, grey)
    return Examples(
        f"imagefolder:{folder}", rows, found.labels, found.classes, names=found.names, skipped=tuple(sorted(skipped))
    )
