"""Where clips come from: one npz file, or a folder of sound files by speaker."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.storage.limits import NUMBERS
from unnerve.subjects.datasets._archive import Archive
from unnerve.subjects.datasets._images.parallel import in_threads
from unnerve.subjects.datasets._sounds.speakers import VCTK_TABLE
from unnerve.subjects.datasets._sounds.wav import FASTEST, SUFFIXES, resampled, sound, sounds, sounds_early

__all__ = ["ClipSource", "check_length", "from_folder", "from_npz"]

_INDEX = ("offset", "length", "speaker")
_SOME = 5


@dataclass(frozen=True)
class ClipSource:
    """Clips, and who speaks in each.

    Parameters
    ----------
    names, speakers : tuple of str
        Of each clip.
    longest : int
        Samples of the longest clip.
    rate : int
        Samples per second.
    clip : callable (number) -> float32 array (L,) in [-1, 1]
    columns : dict of str to tuple of str
        What else is known of each clip, such as the ``digit`` that is spoken.
    skipped : tuple of str
        Clips that were left out.
    """

    names: tuple[str, ...]
    speakers: tuple[str, ...]
    longest: int
    rate: int
    clip: Callable[[int], np.ndarray]
    columns: dict[str, tuple[str, ...]]
    skipped: tuple[str, ...] = ()


def from_npz(path: Path, rate: int | None, skip: bool) -> ClipSource:
    """Read clips that stand one after the other in ``audio``, int16; ``offset`` and ``length`` say where each is."""
    archive = Archive(path)
    keys = archive.keys
    for key in ("audio", "rate", *_INDEX):
        if key not in keys:
            raise InvalidData(f"{path}: must hold audio, rate, {', '.join(_INDEX)}, found {', '.join(keys) or 'none'}")
    audio, own = archive.array("audio"), _one_rate(path, archive.array("rate"))
    if audio.dtype != np.int16 or audio.ndim != 1 or not 1 <= own <= FASTEST:
        rule = f"one row of int16 with a rate in [1, {FASTEST:,}]"
        raise InvalidData(f"{path}: audio must be {rule}, got {audio.dtype} of shape {audio.shape} at {own:,}")
    offset, length = (archive.array(key).astype(np.int64) for key in ("offset", "length"))
    count = len(offset)
    others = {key: archive.array(key) for key in keys if key not in ("audio", "rate", "offset", "length")}
    told = {key: tuple(map(str, some)) for key, some in others.items() if some.shape == (count,)}
    if count == 0 or length.shape != (count,) or "speaker" not in told:
        raise InvalidData(f"{path}: offset, length and speaker must have one value for each clip")
    if offset.min() < 0 or length.min() < 0 or int((offset + length).max()) > len(audio):
        raise InvalidData(f"{path}: every clip must lie within the {len(audio):,} samples of audio")
    sounding = np.array([sounds(audio[at : at + size]) for at, size in zip(offset, length, strict=True)])
    if not sounding.all() and not skip:
        first = int(np.flatnonzero(~sounding)[0])
        raise InvalidData(
            f"{path}: a clip must not be empty or silent, got clip {first}; --skip-unreadable leaves it out"
        )
    kept = np.flatnonzero(sounding)
    if len(kept) == 0:
        raise InvalidData(f"{path}: at least one clip must sound, got none of {count}")
    wanted = rate or own

    def clip(number: int) -> np.ndarray:
        at = int(kept[number])
        return resampled((audio[offset[at] : offset[at] + length[at]].astype(np.float32) / 2**15, own), wanted)

    return ClipSource(
        names=tuple(str(number) for number in kept),
        speakers=tuple(told["speaker"][number] for number in kept),
        longest=_length(int(length[kept].max()), own, wanted),
        rate=wanted,
        clip=clip,
        columns={key: tuple(some[number] for number in kept) for key, some in told.items()},
        skipped=tuple(str(number) for number in np.flatnonzero(~sounding)),
    )


def _one_rate(path: Path, rates: np.ndarray) -> int:
    """Return the samples per second of all clips of an npz file."""
    if rates.size == 0 or rates.dtype.kind not in "iuf" or not np.isfinite(rates).all():
        raise InvalidData(f"{path}: rate must be a number, got {rates.dtype} of shape {rates.shape}")
    known = np.unique(rates)
    if len(known) > 1:
        told = ", ".join(f"{one:,}" for one in known[:_SOME].tolist()) + (" ..." if len(known) > _SOME else "")
        raise InvalidData(f"{path}: all clips must have one rate, got {told}; a folder of WAV files may have several")
    return int(known[0])


def from_folder(folder: Path, rate: int | None, skip: bool) -> ClipSource:
    """List ``SPEAKER/*.wav``, or the layout of VCTK (``wav48/p225/*.wav`` or ``.flac`` beside ``speaker-info.txt``)."""
    home = _home(folder)
    names = [
        f"{home.relative_to(folder).as_posix()}/{name}".removeprefix("./")
        for speaker in sorted(one.name for one in home.iterdir() if one.is_dir() and not one.name.startswith("."))
        for name in sorted(f"{speaker}/{path.name}" for path in (home / speaker).iterdir() if _is_clip(path))
    ]
    if not names:
        raise InvalidData(f"speech: sound files must be in one folder for each speaker in '{folder}', found none")
    looks = list(in_threads(lambda name: _look(folder / name, skip), names))
    skipped = tuple(name for name, look in zip(names, looks, strict=True) if look is None)
    found = {name: look for name, look in zip(names, looks, strict=True) if look is not None}
    if not found:
        raise InvalidData(f"speech: no clip in '{folder}' can be read, such as {skipped[0]}")
    wanted = rate or next(iter(found.values()))[1]
    for name, (_, own) in found.items():
        if rate is None and own != wanted:
            raise InvalidSetting(
                f"{folder / name}: samples per second must be {wanted:,} as in the first clip, got {own:,}; "
                "rate=16000 brings all to one rate"
            )
    kept = tuple(found)
    return ClipSource(
        names=kept,
        speakers=tuple(name.split("/")[-2] for name in kept),
        longest=max(_length(frames, own, wanted) for frames, own in found.values()),
        rate=wanted,
        clip=lambda number: resampled(sound(folder / kept[number]), wanted),
        columns={},
        skipped=skipped,
    )


def check_length(samples: int, rate: int) -> None:
    """Raise if a clip has more samples than one input may have numbers."""
    if samples > NUMBERS:
        raise InvalidData(f"speech: a clip must have <= {NUMBERS:,} samples, got {samples:,} at {rate:,} per second")


def _home(folder: Path) -> Path:
    """Return the folder that holds the speakers' folders; VCTK has one within."""
    if not (folder / VCTK_TABLE).is_file():
        return folder
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and path.name.startswith("wav"))
    if not inside:
        raise InvalidData(f"speech: '{folder}' has {VCTK_TABLE}, so it must have a folder wav48 too, found none")
    return inside[0]


def _is_clip(path: Path) -> bool:
    # VCTK 0.92 records everything with two microphones: the second would repeat every sentence.
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and "_mic2" not in path.name


def _look(path: Path, skip: bool) -> tuple[int, int] | None:
    """Return samples and samples per second; None if a clip cannot be read and may be left out."""
    # Reading VCTK whole would take minutes. With skip it is read whole all the same, so that nothing fails later.
    known = None if skip else sounds_early(path)
    if known is not None:
        return known
    try:
        values, rate = sound(path)
    except InvalidData:
        if skip:
            return None
        raise
    return len(values), rate


def _length(samples: int, own: int, wanted: int) -> int:
    length = -(-samples * wanted // own)
    check_length(length, wanted)
    return length
