"""Examples out of the arrays of an npz file."""

from pathlib import Path

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._archive import Archive
from unnerve.subjects.datasets._labels import labels_and_classes
from unnerve.subjects.datasets._tables.rows import arranged, check_inputs

__all__ = ["npz_examples", "split_npz"]


def npz_examples(name: str, path: Path, suffix: str = "", classes: tuple[str, ...] = ()) -> Examples:
    """Return the examples of an npz file.

    Parameters
    ----------
    name : str
        Of the examples.
    path : Path
    suffix : str
        The keys are ``x`` and ``y`` followed by this: ``_train`` in Keras' form.
    classes : tuple of str
        Used unless the file has ``classes``.
    """
    archive = Archive(path)
    keys = archive.keys
    rows = archive.rows(f"x{suffix}")
    check_inputs(rows, str(path))
    if "classes" in keys:
        classes = _class_names(archive)
    labels = None
    if f"y{suffix}" in keys:
        labels, classes = labels_and_classes(archive.array(f"y{suffix}"), str(path), rows.shape[0], classes)
    return Examples(name, arranged(rows), labels, classes)


def split_npz(name: str, path: Path, split: str, classes: tuple[str, ...]) -> Examples:
    """Return the train or test part that an npz file, or the npz files of a folder, hold.

    In a folder that is ``train.npz`` or ``test.npz`` with the keys ``x`` and ``y``, or a file in Keras' form
    (``x_train``, ``y_train``, ``x_test``, ``y_test``), or the only file.
    """
    if path.is_file():
        suffix = f"_{split}" if f"x_{split}" in Archive(path).keys else ""
        return npz_examples(name, path, suffix, classes)
    if (path / f"{split}.npz").is_file():
        return split_npz(name, path / f"{split}.npz", split, classes)
    files = sorted(path.glob("*.npz"))
    fitting = [file for file in files if f"x_{split}" in Archive(file).keys]
    # A lone train.npz is not the test split.
    if not fitting and len(files) == 1 and files[0].stem not in {"train", "test"}:
        fitting = files
    if not fitting:
        raise InvalidData(
            f"{name}: {split}.npz, or an npz file with x_{split} and y_{split}, must be there, found none"
        )
    return split_npz(name, fitting[0], split, classes)


def _class_names(archive: Archive) -> tuple[str, ...]:
    names = archive.array("classes")
    if names.ndim != 1 or names.dtype.kind not in "US":
        raise InvalidData(f"{archive.path}: classes must be one row of names, got {names.dtype} of shape {names.shape}")
    return tuple(name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name) for name in names)
