"""Who speaks: tables of speakers, with their accents and whatever else is known of them."""

from collections.abc import Sequence
from pathlib import Path

from unnerve.core.errors import InvalidData
from unnerve.core.storage.limits import TEXT
from unnerve.subjects.datasets._tables.text_table import text_table

__all__ = ["VCTK_TABLE", "speaker_values", "table_beside"]

VCTK_TABLE = "speaker-info.txt"
_SPEAKER = ("speaker", "id", "speaker_id")


def table_beside(place: Path, named: str | None) -> Path | None:
    """Return the table of speakers: the one that is named, or the one beside the clips, or None."""
    folder = place if place.is_dir() else place.parent
    if named is not None:
        return folder / Path(named).expanduser()
    own = [folder / VCTK_TABLE, folder / "speakers.csv", *sorted(folder.glob("*_speakers.csv"))]
    return next((path for path in own if path.is_file()), None)


def speaker_values(table: Path, by: str, speakers: Sequence[str]) -> list[str]:
    """Return what a table says of the speaker of each clip.

    Parameters
    ----------
    table : Path
        With commas and a column ``speaker`` or ``id``, or VCTK's ``speaker-info.txt``.
    by : str
        A column, such as ``accent``.
    speakers : sequence of str
        Of each clip; ``p225`` and ``225``, or ``01`` and ``1``, are one speaker.

    Returns
    -------
    list of str
        Values that differ in capitals only are one value, written as it is most often.
    """
    columns = {name.lower(): cells for name, cells in _columns(table).items()}
    column = columns.get(by.lower(), columns.get(f"{by.lower()}s"))
    key = next((name for name in _SPEAKER if name in columns), None)
    if column is None or key is None:
        raise InvalidData(
            f"{table}: must have the columns speaker and {by}, found {', '.join(columns)}; by=COLUMN says what to learn"
        )
    known = dict(zip(map(_key, columns[key]), _one_spelling(column), strict=True))
    missing = next((one for one in speakers if _key(one) not in known), None)
    if missing is not None:
        raise InvalidData(f"{table}: every speaker must have a row, found none of '{missing}'")
    return [known[_key(one)] for one in speakers]


def _columns(table: Path) -> dict[str, list[str]]:
    if table.name != VCTK_TABLE:
        return text_table(table)
    if table.stat().st_size > TEXT:
        raise InvalidData(f"{table}: a table must have <= {TEXT:,} bytes")
    lines = [line.split() for line in table.read_text("utf-8", "replace").splitlines() if line.strip()]
    # Only the first four columns are single words: regions and comments hold spaces.
    names, rows = lines[0][:4], [line for line in lines[1:] if len(line) >= 4]
    if len(names) < 4 or not rows:
        raise InvalidData(f"{table}: must have the columns ID, AGE, GENDER and ACCENTS, and rows, found no such table")
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _one_spelling(values: Sequence[str]) -> list[str]:
    spellings: dict[str, list[str]] = {}
    for value in values:
        spellings.setdefault(value.casefold(), []).append(value)
    chosen = {key: max(sorted(set(some)), key=some.count) for key, some in spellings.items()}
    return [chosen[value.casefold()] for value in values]


def _key(speaker: str) -> str:
    bare = speaker.strip().lower()
    bare = bare[1:] if bare[:1] == "p" and bare[1:].isdigit() else bare
    return str(int(bare)) if bare.isdigit() else bare
