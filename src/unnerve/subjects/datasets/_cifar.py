"""The files of CIFAR-10 and CIFAR-100: the python version, the binary version, npz."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._files import existing_file, existing_folder, first_existing
from unnerve.subjects.datasets._labels import class_labels
from unnerve.subjects.datasets._npz import split_npz
from unnerve.subjects.datasets._pickled import pickled_dict
from unnerve.subjects.datasets._split import check_split
from unnerve.subjects.datasets._tables.rows import ArrayRows

__all__ = ["Cifar", "cifar_examples"]

_PIXELS = 3 * 32 * 32


@dataclass(frozen=True)
class Cifar:
    """How one of the two is laid out.

    Parameters
    ----------
    name : str
    subfolders : tuple of str
        The folders inside the official archives.
    batches : dict of split to tuple of str
        The files of a split; the binary version adds ``.bin``.
    label_key : str
        Of the labels in the python version.
    label_bytes : int
        Before every image in the binary version; the last of them is used.
    meta : str
        The file with the names of the classes, in the python version.
    meta_key : str
    """

    name: str
    subfolders: tuple[str, ...]
    batches: dict[str, tuple[str, ...]]
    label_key: str
    label_bytes: int
    meta: str
    meta_key: str


def cifar_examples(layout: Cifar, path: str | Path, split: str, classes: tuple[str, ...]) -> Examples:
    """Return one split, from whichever version the folder holds; the folder's own class names go first."""
    check_split(split)
    named = f"{layout.name}:{path}"
    if Path(path).suffix == ".npz":
        return split_npz(named, existing_file(path, layout.name), split, classes)
    folder = existing_folder(path, layout.name)
    folders = [folder, *(folder / name for name in layout.subfolders)]
    meta = first_existing(folders, [layout.meta])
    names = _class_names(meta, layout) if meta else classes
    wanted = layout.batches[split]
    for suffix, read in (("", _python_batch), (".bin", _binary_batch)):
        files = [first_existing(folders, [name + suffix]) for name in wanted]
        missing = [name + suffix for name, file in zip(wanted, files, strict=True) if file is None]
        if len(missing) < len(wanted):
            # Some of the files are there: what is meant is clear, and reading fewer would be a silent mistake.
            if missing:
                raise InvalidData(f"{layout.name}: {', '.join(missing)} must be in the folder '{folder}', found none")
            return _joined(named, [read(file, layout) for file in files if file is not None], names)
    if any(folder.glob("*.npz")):
        return split_npz(named, folder, split, names)
    forms = f"{wanted[0]}, {wanted[0]}.bin or {split}.npz"
    raise InvalidData(f"{layout.name}: {forms} must be in the folder '{folder}', found none")


def _python_batch(path: Path, layout: Cifar) -> tuple[np.ndarray, np.ndarray]:
    content = pickled_dict(path)
    pixels, labels = content.get("data"), content.get(layout.label_key)
    if not isinstance(pixels, np.ndarray) or pixels.dtype != np.uint8 or pixels.shape[1:] != (_PIXELS,):
        raise InvalidData(f"{path}: must hold 'data', uint8 of shape (N, {_PIXELS})")
    # Each label by itself: lists within lists may share their parts, and would unpack to more than any memory.
    if not (
        isinstance(labels, np.ndarray)
        or (isinstance(labels, list) and all(isinstance(one, int | float) for one in labels))
    ):
        raise InvalidData(f"{path}: must hold '{layout.label_key}', a list of labels")
    return pixels, class_labels(labels, str(path), len(pixels))


def _binary_batch(path: Path, layout: Cifar) -> tuple[np.ndarray, np.ndarray]:
    record = layout.label_bytes + _PIXELS
    try:
        content = np.fromfile(path, np.uint8)
    except OSError as error:
        raise InvalidData(f"{path}: cannot be read: {error}") from error
    if len(content) % record:
        raise InvalidData(f"{path}: must have a multiple of {record} bytes, got {len(content)}")
    records = content.reshape(-1, record)
    return records[:, layout.label_bytes :], records[:, layout.label_bytes - 1].astype(np.int64)


def _joined(name: str, batches: list[tuple[np.ndarray, np.ndarray]], classes: tuple[str, ...]) -> Examples:
    images = np.concatenate([pixels for pixels, _ in batches]).reshape(-1, 3, 32, 32)
    return Examples(name, ArrayRows(images), np.concatenate([labels for _, labels in batches]), classes)


def _class_names(path: Path, layout: Cifar) -> tuple[str, ...]:
    names = pickled_dict(path).get(layout.meta_key)
    if not (isinstance(names, list) and all(isinstance(name, bytes | str) for name in names)):
        raise InvalidData(f"{path}: must hold '{layout.meta_key}', a list of class names")
    return tuple(name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name) for name in names)
