"""Tables for a terminal."""

from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[tuple[str, ...]], width: int | None = None, drop: Sequence[int] = ()) -> list[str]:
    """Return rows as indented lines, with every column as wide as its longest cell.

    Parameters
    ----------
    rows : sequence of tuples of str
        The first is the heading.
    width : int, optional
        Of the terminal. Where the table is wider, columns are left out.
    drop : sequence of int
        Which columns may be left out, the least important first.
    """
    left_out: set[int] = set()
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for column in drop:
        kept = [one for place, one in enumerate(widths) if place not in left_out]
        if width is None or sum(kept) + 2 * len(kept) <= width:
            break
        left_out.add(column)
    shown = [column for column in range(len(widths)) if column not in left_out]
    return ["  " + "  ".join(row[column].ljust(widths[column]) for column in shown).rstrip() for row in rows]
