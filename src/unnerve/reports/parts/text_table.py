"""Tables for a terminal."""

from collections.abc import Sequence

__all__ = ["aligned"]


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Return rows as indented lines, with every column as wide as its longest cell."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
