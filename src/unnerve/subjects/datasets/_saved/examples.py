"""Examples of a table of Arrow whose columns are described as Hugging Face describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.subjects.datasets._images.resizing import Resizing
from unnerve.subjects.datasets._images.rows import image_rows
from unnerve.subjects.datasets._items import INPUTS, LABELS, key_among
from unnerve.subjects.datasets._labels import labels_and_classes
from unnerve.subjects.datasets._saved.columns import ImageColumn, array_column, is_array, is_image
from unnerve.subjects.datasets._tables.rows import arranged, check_inputs
from unnerve.subjects.datasets.table import table

__all__ = ["SavedWish", "class_names", "label_column", "saved_examples"]

_NONE = "none"


@dataclass(frozen=True)
class SavedWish:
    """What is asked of the data beside itself: a name for it, its column of labels, and what is done to images."""

    name: str
    label: str | None = None
    resizing: Resizing = field(default_factory=Resizing)
    grey: bool | None = None


def saved_examples(rows: pa.Table, features: Mapping[str, Any], wish: SavedWish) -> Examples:
    """Return the examples of a table.

    Parameters
    ----------
    rows : Table
        A column of images, of arrays (lists of one shape) or, if there is neither, all columns are the inputs.
    features : mapping of str to dict
        By column: ``{"_type": "ClassLabel", "names": [...]}`` and the like.
    wish : SavedWish
    """
    name, labels = wish.name, label_column(rows.column_names, features, wish)
    inputs = _input_column(rows, labels, name)
    if inputs is None:
        return _as_table(rows, labels, class_names(features, labels), name)
    found = rows[inputs]
    if is_image(found.type):
        source: Any = image_rows(ImageColumn(found, name), wish.resizing, wish.grey)
    else:
        source = array_column(found, name)
        check_inputs(source, name)
        source = arranged(source)
    if labels is None:
        return Examples(name, source)
    known = class_names(features, labels)
    return Examples(name, source, *labels_and_classes(_cells(rows[labels], name), name, len(rows), known))


def label_column(columns: Sequence[str], features: Mapping[str, Any], wish: SavedWish) -> str | None:
    """Return the column of labels: as asked for, of a usual name, or the only one of classes; None if there is none."""
    asked, name = wish.label, wish.name
    if asked is not None and asked not in (*columns, _NONE):
        raise UnknownName(f"column of {name}", asked, columns)
    if asked is not None:
        return None if asked == _NONE else asked
    classes = [one for one in columns if features.get(one, {}).get("_type") == "ClassLabel"]
    usual: str | None = key_among(LABELS, columns)
    if usual is None and len(classes) > 1:
        raise InvalidSetting(f"--label must say which column of {name} holds the labels: {', '.join(classes)}")
    return usual or next(iter(classes), None)


def _input_column(rows: pa.Table, labels: str | None, name: str) -> str | None:
    """Return the column of images or arrays: that of a usual name, or the only one; None if the rest is a table."""
    fitting = [
        one for one in rows.column_names if one != labels and (is_image(rows[one].type) or is_array(rows[one].type))
    ]
    usual: str | None = key_among(INPUTS, fitting)
    if usual is None and len(fitting) > 1:
        found = ", ".join(fitting)
        raise InvalidData(
            f"{name}: one column of images or arrays must be called {', '.join(INPUTS[:4])} or the like, got {found}"
        )
    return usual or next(iter(fitting), None)


def _as_table(rows: pa.Table, labels: str | None, classes: tuple[str, ...], name: str) -> Examples:
    if labels is None:
        return table(rows, _NONE, name=name)
    cells = _cells(rows[labels], name)
    return table(rows.drop_columns([labels]), labels=cells, classes=classes, name=name)


def class_names(features: Mapping[str, Any], label: str | None) -> tuple[str, ...]:
    """Return the names of the classes of a column of labels; none if it has none."""
    names = features.get(label or "", {}).get("names")
    return tuple(map(str, names)) if isinstance(names, list) else ()


def _cells(column: pa.ChunkedArray, name: str) -> Any:
    if column.null_count:
        raise InvalidData(f"{name}: every input must have a label, got {column.null_count} empty cells")
    return column.to_numpy()
