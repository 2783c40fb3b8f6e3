"""Which columns of a table are features, which one is the label, and which one names the rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa

from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.subjects.datasets._items import LABELS, key_among

__all__ = ["Columns", "Roles", "is_bytes", "is_text", "roles"]

_IDS = ("id", "ids")


@dataclass(frozen=True)
class Columns:
    """What a user says of the columns of a table.

    Parameters
    ----------
    label : str or None
        The column of labels; one called label, target, class or y by default; ``none`` if there is none.
    features : str, sequence of str, or None
        Columns that the model takes, in its order; by default all others that hold numbers, in the table's order.
    categories : str, sequence of str, or None
        Columns whose values are neither more nor less than each other. Texts are coded 0, 1, ... in alphabetical order.
    """

    label: str | None = None
    features: str | Sequence[str] | None = None
    categories: str | Sequence[str] | None = None


@dataclass(frozen=True)
class Roles:
    """What the columns of a table are, by name.

    Parameters
    ----------
    features : tuple of str
    categories : frozenset of str
        Those of the features that are codes, or texts to be coded.
    whole : frozenset of str
        Those that hold whole numbers, as far as their types say.
    ordered : frozenset of str
        Those of a categorical type: their codes keep its order.
    label, id : str or None
    """

    features: tuple[str, ...]
    categories: frozenset[str]
    whole: frozenset[str]
    ordered: frozenset[str] = frozenset()
    label: str | None = None
    id: str | None = None


def roles(schema: pa.Schema, said: Columns, name: str, labelled: bool = False) -> Roles:
    """Decide what the columns of a table are.

    Parameters
    ----------
    schema : pa.Schema
    said : Columns
    name : str
        Of the table; begins every message.
    labelled : bool
        The labels are elsewhere, so no column holds them.
    """
    label = None if labelled else _label(schema, said, name)
    given = _listed(said.features, schema, name)
    named = set(_listed(said.categories, schema, name))
    row_id = key_among(_IDS, schema.names)
    # A column called id may well be what the model takes, if the user says so.
    row_id = None if row_id == label or row_id in given else row_id
    left = [column for column in schema.names if column not in (label, row_id)]
    features = tuple(given or left)
    if label in features:
        raise InvalidSetting(f"{name}: '{label}' is the label, so it must not be among the features")
    ordered = frozenset(one for one in features if pa.types.is_dictionary(schema.field(one).type))
    categories = frozenset(one for one in features if one in named) | ordered
    if not features or (
        not given and all(is_text(schema.field(one).type) and one not in categories for one in features)
    ):
        held = ", ".join(schema.names) or "nothing"
        raise InvalidData(f"{name}: a table must have columns of numbers beside the label, found {held}{_hint(schema)}")
    for column in features:
        _check_type(schema.field(column), column in categories, name)
    for column in (label, row_id):
        if column is not None:
            _check_single(schema.field(column), name)
    whole = frozenset(one for one in features if _is_whole(schema.field(one).type))
    return Roles(features, categories, whole, ordered, label, row_id)


def _label(schema: pa.Schema, said: Columns, name: str) -> str | None:
    if said.label is None:
        found: str | None = key_among(LABELS, schema.names)
        return found
    # Before none: a table may have a column of that name.
    if said.label in schema.names:
        return said.label
    if said.label.lower() == "none":
        return None
    raise UnknownName(f"column of {name}", said.label, schema.names)


def _listed(given: str | Sequence[str] | None, schema: pa.Schema, name: str) -> list[str]:
    """Return names of columns; in a text they stand with + between them."""
    listed = [one.strip() for one in given.split("+")] if isinstance(given, str) else list(given or ())
    unknown = next((one for one in listed if one not in schema.names), None)
    if unknown is not None:
        raise UnknownName(f"column of {name}", unknown, schema.names)
    return listed


def is_text(kind: pa.DataType) -> bool:
    """Say whether a column, or the dictionary behind it, holds texts."""
    # pandas stores repeated texts as dictionaries.
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def is_bytes(kind: pa.DataType) -> bool:
    """Say whether the values of a column, or of the dictionary behind it, are of any length."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return is_text(kind) or bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _check_single(field: pa.Field, name: str) -> None:
    """Raise if a cell may hold many values: a label and an id are one."""
    if pa.types.is_nested(field.type) or pa.types.is_fixed_size_binary(field.type):
        raise InvalidData(f"{name}: the column '{field.name}' must hold numbers or texts, got {field.type}")


def _check_type(field: pa.Field, category: bool, name: str) -> None:
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if is_text(kind) and not category:
        advice = (
            f"--label {field.name} makes it the label, categories={field.name} a category, features=A+B leaves it out"
        )
        raise InvalidData(f"{name}: the column '{field.name}' must hold numbers, got text; {advice}")
    number = pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind) or _is_whole(kind)
    if not is_text(kind) and not number:
        advice = "choose others by features=A+B"
        raise InvalidData(f"{name}: the column '{field.name}' must hold numbers, got {field.type}; {advice}")


def _is_whole(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_boolean(kind))


def _hint(schema: pa.Schema) -> str:
    if key_among(("file", "file_name", "filename"), schema.names) is not None:
        return "; a table of image files is read by imagefolder:DIR,table=FILE"
    return ""
