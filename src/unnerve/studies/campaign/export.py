"""Export: findings as files that other programs open, with a table of what they are."""

import csv
import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from PIL import Image

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.class_names import class_called
from unnerve.core.data.clips import Clips
from unnerve.core.data.ranges import ValueRange
from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.naming.specification import several
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.results import Result
from unnerve.core.storage.files import whole_file
from unnerve.core.storage.printable import table_cell
from unnerve.studies.campaign._export_folder import export_folder
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.sounds.wav_bytes import sounding, wav_bytes

__all__ = ["Exported", "export"]

_COLUMNS = (
    "file",
    "exact",
    "id",
    "seed_id",
    "method",
    "label",
    "before",
    "after",
    "confidence_before",
    "confidence_after",
    "l0",
    "l2",
    "linf",
    "step",
    "queries",
)


_LIST = "findings.csv"
_LEAST = 8
"""Characters of an id that stand for it: in a million findings two hardly share them."""
_UNSAFE = re.compile(r"[^A-Za-z0-9_.,=()-]")
_LONGEST = 80
"""Characters of a method's label, and of a finding's id, in a file's name."""


@dataclass(frozen=True, repr=False)
class Exported(Result):
    """Findings as files.

    Parameters
    ----------
    out : Path
        Their folder; ``findings.csv`` lists them.
    findings : int
        How many.
    inexact : int
        How many are no 8-bit images, and so have an NPY file beside the PNG.
    """

    out: Path
    findings: int
    inexact: int

    def headline(self) -> str:
        """Return how many files there are, and where."""
        noun = "finding" if self.findings == 1 else "findings"
        text = f"{self.findings:,} {noun} in {self.out}, listed in {self.out / _LIST}"
        if not self.inexact:
            return text
        none = "is not an 8-bit image and has its" if self.inexact == 1 else "are not 8-bit images and have their"
        file = "an NPY file" if self.inexact == 1 else "NPY files"
        return f"{text}; {self.inexact:,} {none} values in {file} (quantised hunts find only images)"

    def table(self) -> pa.Table:
        """Return the list of the files, one row per finding."""
        # pyarrow's threads beside torch's abort the process at exit now and then, see decisions/006.
        return pa.csv.read_csv(self.out / _LIST, pa.csv.ReadOptions(use_threads=False))

    def summary(self) -> dict[str, Any]:
        """Return the figures as JSON."""
        return {"findings": self.findings, "inexact": self.inexact, "out": str(self.out)}


def export(
    campaign: str | Path | Campaign,
    to: str | Path,
    *,
    method: str | Sequence[str] | None = None,
    limit: int | None = None,
    ids: str | Sequence[str] | None = None,
    progress: ShowProgress = None,
) -> Exported:
    """Write findings as files.

    Parameters
    ----------
    campaign : Campaign, or where it is
    to : path
        A folder that is new, or empty, or what an export that was killed left; any other is refused.
    method : str, or list of str, optional
        Only findings of the method with this label, or of those with these.
    limit : int, optional
        At most so many, those with the smallest L2 change.
    ids : str, or list of str, optional
        Only the findings with these ids, as a report copies them, with commas between them; the first eight characters
        of an id or more will do.
    progress : bool or callable (done, total), optional
        True shows a bar.

    Returns
    -------
    Exported
        With ``table()``, the list of the files. Waveforms are written as WAV files, without their padding.

    Examples
    --------
    >>> import unnerve
    >>> files = unnerve.export("runs/first", "findings", limit=100)
    >>> files.to_pandas()[["file", "before", "after"]]
    """
    opened = campaign if isinstance(campaign, Campaign) else Campaign.at(campaign)
    wanted = _labels(opened, method)
    if limit is not None and limit < 1:
        raise InvalidSetting(f"limit must be >= 1, got {limit}")
    folder = Path(to)
    chosen = _chosen(opened, wanted, limit, None if ids is None else several(ids))
    total, inexact = len(chosen), 0
    with (
        export_folder(folder),
        steps_shown(progress, "writing", "findings") as on_steps,
        whole_file(folder / _LIST) as part,
        part.open("w", newline="", encoding="utf-8") as file,
    ):
        names = _feature_columns(opened)
        table = csv.DictWriter(file, (*_COLUMNS, *names), extrasaction="ignore")
        table.writeheader()
        for done, row in enumerate(_rows(opened, chosen), start=1):
            name, exact = _written(folder, row, opened.value_range, opened.clips)
            inexact += not exact
            named = {key: _class_name(opened, row[key]) for key in ("label", "before", "after")}
            cells = {**row, **named, "file": name, "exact": exact, **_features(opened, row, names)}
            table.writerow({key: table_cell(one) if isinstance(one, str) else one for key, one in cells.items()})
            on_steps(done, total)
    return Exported(folder, total, inexact)


def _labels(campaign: Campaign, method: str | Sequence[str] | None) -> set[str]:
    """Return the labels of the methods that are meant; a label may itself hold commas."""
    known = campaign.plan.labels
    if method is None or method in known:
        return set(known) if method is None else {str(method)}
    wanted = several(method)
    unknown = next((one for one in wanted if one not in known), None)
    if unknown is not None:
        raise UnknownName("method of this campaign", unknown, known)
    return set(wanted)


def _chosen(campaign: Campaign, wanted: set[str], limit: int | None, ids: Sequence[str] | None) -> set[tuple[str, str]]:
    """Return (method, id) of what shall be written; inputs are not read for that."""
    named = set(ids or ())
    lengths = {len(name) for name in named if len(name) >= _LEAST}

    def begins(name: str) -> set[str]:
        """Return those of the ids that were asked for with which one begins."""
        return {name[:length] for length in lengths} & named

    missing = set(named)

    def light() -> Iterator[tuple[float, str, str]]:
        for _, table, _ in campaign.store.shards(["l2", "method", "id"]):
            for row in table.to_pylist():
                meant = begins(row["id"])
                if row["method"] in wanted and (ids is None or meant):
                    missing.difference_update(meant)
                    yield row["l2"], row["method"], row["id"]

    # By a heap, so that a million findings need not be in memory to choose a hundred of them.
    kept = light() if limit is None else heapq.nsmallest(limit, light())
    chosen = {(label, name) for _, label, name in kept}
    if missing:
        raise InvalidSetting(f"ids must be of findings of {campaign.store.path}, got '{min(missing)}'")
    return chosen


def _rows(campaign: Campaign, chosen: set[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    for _, table, _ in campaign.store.shards():
        yield from (row for row in table.to_pylist() if (row["method"], row["id"]) in chosen)


def _written(folder: Path, row: dict[str, Any], held: ValueRange, clips: Clips | None) -> tuple[str, bool]:
    """Write one finding, black at the low end of the range; return the file's name and whether it is exact."""
    values = stored_array(row["input"], row["shape"], row["dtype"])
    # Both come from the campaign, which a stranger may have written: no way out of the folder.
    name = _UNSAFE.sub("-", f"{row['method'][:_LONGEST]}-{row['id'][:_LONGEST]}")
    if clips is not None and clips.form == "waveform" and values.ndim == 1:
        # Without its padding, in floating point: every sample is the stored one, so that it is answered alike.
        (folder / f"{name}.wav").write_bytes(wav_bytes(sounding(values), clips.rate))
        return f"{name}.wav", True
    low, high = held
    levels = np.rint((values - low) * (255 / (high - low)))
    # As a hunt rounds to 8 bits, so that what it rounded is exact here.
    rounded = np.where(levels == 255, high, levels / (255 / (high - low)) + low).astype(np.float32)
    pictured = values.ndim == 3 and values.shape[0] in (1, 3)
    exact = pictured and bool(np.array_equal(rounded, values))
    if not exact:
        np.save(folder / f"{name}.npy", values, allow_pickle=False)
    if not pictured:
        return f"{name}.npy", True
    pixels = levels.clip(0, 255).astype(np.uint8)
    Image.fromarray(pixels[0] if len(pixels) == 1 else pixels.transpose(1, 2, 0)).save(folder / f"{name}.png")
    return f"{name}.png", exact


def _feature_columns(campaign: Campaign) -> list[str]:
    """Return the columns that hold the rows of a table, none for other inputs."""
    names = campaign.features.names if campaign.features else ()
    return [table_cell(f"feature {name}" if name in _COLUMNS else name) for name in names]


def _features(campaign: Campaign, row: dict[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """Return the row of a table that was found, by its columns; categories by name."""
    values = stored_array(row["input"], row["shape"], row["dtype"])
    if campaign.features is None or values.shape != (len(columns),):
        return {}
    cells = (one.shown(float(value)) for one, value in zip(campaign.features.columns, values, strict=True))
    return dict(zip(columns, cells, strict=True))


def _class_name(campaign: Campaign, number: int | None) -> str:
    return "" if number is None else class_called(campaign.header.get("classes", []), number)
