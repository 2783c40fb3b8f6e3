"""Speech by speaker: one npz file, a folder of sound files for each speaker, or VCTK."""

from pathlib import Path

import numpy as np

from unnerve.core.data.clips import Clips
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.datasets._sounds.rows import ClipRows
from unnerve.subjects.datasets._sounds.sources import ClipSource, check_length, from_folder, from_npz
from unnerve.subjects.datasets._sounds.speakers import speaker_values, table_beside

__all__ = ["speech"]

_SPLITS = ("train", "test", "all")
_TEST = 3


def speech(
    path: str | Path,
    split: str = "test",
    by: str = "speaker",
    rate: int | None = None,
    seconds: float | None = None,
    bands: int | None = None,
    table: str | None = None,
    skip_unreadable: bool = False,
) -> Examples:
    """Read clips of speech; files are read when they are asked for.

    Parameters
    ----------
    path : path
        An npz file with ``audio`` (int16, all clips one after the other), ``offset``, ``length``, ``speaker`` and
        ``rate``; a folder with ``SPEAKER/*.wav``; or VCTK as it is unpacked.
    split : str
        ``test``: every third clip of each speaker; ``train``: the others; ``all``.
    by : str
        What to tell apart: ``speaker``, another array of the npz file (``digit``), or a column of the table of
        speakers (``accent``).
    rate : int, optional
        Samples per second; clips of another rate are resampled. Without it all must have one rate.
    seconds : float, optional
        Of every input: longer clips lose their end. By default as long as the longest clip; shorter ones are padded
        with zeros at their end.
    bands : int, optional
        Gives log-mel features of so many bands, shape (1, bands, frames), instead of waveforms.
    table : path, optional
        The table of speakers, relative to the data; ``speakers.csv``, ``*_speakers.csv`` or VCTK's
        ``speaker-info.txt`` beside it by default.
    skip_unreadable : bool
        Leaves out clips that cannot be read, are empty or silent, and says which; without it the first of them is an
        error.

    Returns
    -------
    Examples of shape (L,) or (1, bands, frames)
        Values in [-1, 1]; several channels become their mean.

    Examples
    --------
    >>> from unnerve.subjects.datasets.speech import speech
    >>> speech("audiomnist_16k.npz", by="accent").classes
    """
    if split not in _SPLITS:
        raise InvalidSetting(f"split must be {', '.join(_SPLITS)}, got '{split}'")
    for name, value in (("rate", rate), ("seconds", seconds), ("bands", bands)):
        if value is not None and not 0 < value < 2**20:
            raise InvalidSetting(f"{name} must be > 0 and < 2**20, got {value}")
    place = Path(path).expanduser()
    if not place.exists():
        raise InvalidData(f"speech: a file or folder must exist, got '{place}'")
    source = (from_folder if place.is_dir() else from_npz)(place, rate, skip_unreadable)
    length = source.longest if seconds is None else max(1, round(seconds * source.rate))
    check_length(length, source.rate)
    told = _told(source, by, place, table)
    classes = tuple(sorted(set(told), key=_order))
    numbers = {name: number for number, name in enumerate(classes)}
    whole = Examples(
        f"speech:{path}",
        ClipRows(len(source.names), length, source.rate, source.clip, bands),
        np.array([numbers[one] for one in told], dtype=np.int64),
        classes,
        value_range=(-1.0, 1.0),
        names=source.names,
        skipped=source.skipped,
        clips=Clips(source.rate, "waveform" if bands is None else "logmel"),
    )
    return whole if split == "all" else whole.take(_rows(source, split))


def _told(source: ClipSource, by: str, place: Path, table: str | None) -> tuple[str, ...]:
    if by == "speaker":
        return source.speakers
    if by in source.columns:
        return source.columns[by]
    found = table_beside(place, table)
    if found is None:
        known = ", ".join(("speaker", *(name for name in source.columns if name != "speaker")))
        raise InvalidData(f"speech: by must be one of {known}, or a column of a table speakers.csv, got '{by}'")
    return tuple(speaker_values(found, by, source.speakers))


def _rows(source: ClipSource, split: str) -> list[int]:
    """Return the clips of a split: of every speaker each third one is for tests, so that all speak in both."""
    seen: dict[str, int] = {}
    rows = []
    for row, speaker in enumerate(source.speakers):
        seen[speaker] = seen.get(speaker, 0) + 1
        if (seen[speaker] % _TEST == 0) == (split == "test"):
            rows.append(row)
    if not rows:
        raise InvalidData(
            "speech: no speaker has three clips, so that there is no test part; --split all takes them all"
        )
    return rows


def _order(name: str) -> tuple[int, str]:
    return (int(name), name) if name.isdigit() else (2**31, name)
