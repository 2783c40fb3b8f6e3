"""Tables of cells that can be shown and sorted."""

from dataclasses import dataclass

from unnerve.reports.parts.names import display_name

__all__ = ["Cell", "Table", "text_cell"]


@dataclass(frozen=True)
class Cell:
    """What a cell shows, a second, smaller line, what it is sorted by (None sorts last), and whether it stands out."""

    text: str
    more: str = ""
    key: float | str | None = None
    marked: bool = False


@dataclass(frozen=True)
class Table:
    """Columns are (heading, its unit or explanation)."""

    caption: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[Cell, ...], ...]


def text_cell(text: str, width: int) -> Cell:
    """Return a cell with a name that users gave, sorted by what is shown."""
    shown = display_name(text, width)
    return Cell(shown, key=shown)
