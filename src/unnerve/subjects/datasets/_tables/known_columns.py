"""Columns of a table as somebody else knows them: by their names, whatever their order in the table."""

from dataclasses import replace

import numpy as np

from unnerve.core.data.examples import Examples
from unnerve.core.data.features import Feature, Features
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._tables.column_rows import Chosen, Recoded

__all__ = ["columns_as", "columns_like"]


def columns_as(examples: Examples, names: tuple[str, ...] | None, who: str) -> Examples:
    """Return the rows of a table with the columns of these names, in this order; what is no table stays as it is.

    Parameters
    ----------
    examples : Examples
    names : tuple of str or None
        None if nobody knows any.
    who : str
        Knows the names; for errors.
    """
    held = examples.features
    if names is None or held is None or held.names == names:
        return examples
    lacking = next((one for one in names if one not in held.names), None)
    if lacking is not None:
        raise InvalidData(
            f"{examples.name}: must have the columns that {who} knows, and lacks '{lacking}'; it has "
            f"{', '.join(held.names)}"
        )
    places = [held.names.index(one) for one in names]
    chosen = Features(tuple(held.columns[place] for place in places))
    return replace(examples, source=Chosen(examples.source, places), features=chosen, value_range=chosen.value_range)


def columns_like(examples: Examples, like: Examples) -> Examples:
    """Return the rows of a further table with the columns, and the codes of categories, that another table has.

    Parameters
    ----------
    examples : Examples
        Its texts were coded by what it holds itself: if it lacks a value, all behind that have other codes.
    like : Examples
    """
    known = like.features
    if known is None or examples.features is None:
        return examples
    found = columns_as(examples, known.names, like.name)
    assert found.features is not None
    pairs = list(zip(found.features.columns, known.columns, strict=True))
    codes = {
        place: _codes(*pair, examples, like) for place, pair in enumerate(pairs) if pair[0].values != pair[1].values
    }
    columns = [
        replace(own, values=other.values, low=other.low, high=other.high) if place in codes else own
        for place, (own, other) in enumerate(pairs)
    ]
    features = Features(tuple(columns))
    source = Recoded(found.source, codes) if codes else found.source
    return replace(found, source=source, features=features, value_range=features.value_range)


def _codes(own: Feature, other: Feature, examples: Examples, like: Examples) -> np.ndarray:
    """Return the code that a column of another table has for each value of this one."""
    strange = next((one for one in own.values if one not in other.values), None if own.values else "numbers")
    if strange is not None:
        known = ", ".join(other.values[:5]) or "numbers"
        raise InvalidData(
            f"{examples.name}: the column '{own.name}' must hold what it holds in {like.name}: {known}, got {strange}"
        )
    return np.array([other.values.index(one) for one in own.values], dtype=np.float32)
