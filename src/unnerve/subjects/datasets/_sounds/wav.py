"""Sound files: read with one clear line when they cannot be, as one channel in [-1, 1]."""

import math
import os
import warnings
import wave
from functools import lru_cache
from pathlib import Path

import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

from unnerve.core.errors import InvalidData

__all__ = ["FASTEST", "SUFFIXES", "Sound", "resampled", "sound", "sounds", "sounds_early"]

SUFFIXES = frozenset({".wav", ".flac"})
"""What names of sound files end with."""

_BYTES = 2**28
_BEGIN = 2**12
"""Frames from the beginning of a file: a recorded room is hardly ever digitally silent for so long."""
_LOUDEST = 1 + 1e-4
"""In floating point: whole numbers of 16 bits divided by 32,767 reach 1.00003, which is rounding; more is not."""
FASTEST = 2**20
"""Samples per second: the filter that changes the rate of a clip may be ten times as long as its rate says."""
Sound = tuple[np.ndarray, int]
"""float32 (L,) in [-1, 1], and samples per second."""


def sound(path: str | Path) -> Sound:
    """Read a file; several channels become their mean, whole numbers are divided by their largest.

    WAV holds whole numbers of 8, 16, 24 or 32 bits, or floating point in [-1, 1], of which 1.0001 is taken for
    rounding; FLAC needs the package soundfile.
    """
    if not os.path.isfile(path):  # noqa: PTH113 - quicker than paths, for many files
        raise InvalidData(f"{path}: must be a sound file, found no such file")
    if os.path.getsize(path) > _BYTES:  # noqa: PTH202
        raise InvalidData(f"{path}: a sound file must have <= {_BYTES:,} bytes")
    rate, samples = _flac(path) if str(path).lower().endswith(".flac") else _wav(path)
    if samples.size == 0:
        raise InvalidData(f"{path}: a clip must have at least one sample, got none")
    if samples.dtype.kind == "f":
        _check_scale(path, samples)
    values = _one_channel(samples)
    if not sounds(values):
        held = f"{len(values):,} samples of {values[0]:g}"
        raise InvalidData(f"{path}: a clip must not be silent, got {held}; --skip-unreadable leaves it out")
    return np.clip(values, -1, 1), rate


def sounds(samples: np.ndarray) -> bool:
    """Say whether samples (L,) are more than silence: a constant, whatever its value, is not heard."""
    return bool((samples != samples[:1]).any())


def sounds_early(path: str | Path) -> tuple[int, int] | None:
    """Return samples and samples per second of a WAV file whose beginning sounds, without reading the rest.

    None says nothing of the file: it may be silent at first or as a whole, of another kind, damaged, or too large.
    """
    try:
        with wave.open(str(path)) as file:
            frames, rate = file.getnframes(), file.getframerate()
            channels, width = file.getnchannels(), file.getsampwidth()
            begin = file.readframes(_BEGIN)
        has = os.path.getsize(path)  # noqa: PTH202 - quicker than paths, for many files
        # A header may announce any number of samples; believed, it would decide how much memory every clip takes.
        if has > _BYTES or frames * channels * width > has or not 1 <= rate <= FASTEST:
            return None
        _check_whole(path)
        return (frames, rate) if sounds(_one_channel(_whole_numbers(begin, width, channels))) else None
    except (wave.Error, EOFError, OSError, ValueError, InvalidData):
        return None  # floating point and FLAC are not for this module


def resampled(given: Sound, rate: int) -> np.ndarray:
    """Return samples at another rate, by polyphase filtering."""
    values, own = given
    if own == rate:
        return values
    common = math.gcd(own, rate)
    made: np.ndarray = np.asarray(resample_poly(values, rate // common, own // common), dtype=np.float32)
    return made.clip(-1, 1)


def _wav(path: str | Path) -> tuple[int, np.ndarray]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of chunks that it does not know, such as a title
            rate, samples = wavfile.read(path)
    # A damaged header makes the reader fail in many ways.
    except Exception as error:
        raise InvalidData(f"{path}: must be a WAV file, whole and undamaged: {error}") from error
    if not 1 <= rate <= FASTEST:
        raise InvalidData(f"{path}: samples per second must be in [1, {FASTEST:,}], got {rate:,}")
    _check_whole(path)
    return int(rate), np.asarray(samples)


def _check_whole(path: str | Path) -> None:
    """Raise if a file is shorter than it says: the reader takes what there is of its clip."""
    with Path(path).open("rb") as file:
        kind, stated = file.read(4), file.read(4)
    said = 8 + int.from_bytes(stated, "big" if kind == b"RIFX" else "little")
    has = os.path.getsize(path)  # noqa: PTH202 - quicker than paths, for many files
    # Programs that write to a pipe state a size beyond all bounds; some leave out the last byte of padding.
    if has + 1 < said <= _BYTES:
        raise InvalidData(
            f"{path}: must be a WAV file, whole and undamaged: it has {has:,} of the {said:,} bytes that it states"
        )


def _check_scale(path: str | Path, samples: np.ndarray) -> None:
    """Raise if floating point is not in [-1, 1]: clipped without a word, a clip on another scale is a square wave."""
    # Before channels become their mean, in which what is too large may cancel out.
    largest = max(-float(samples.min()), float(samples.max()))
    if not math.isfinite(largest):
        raise InvalidData(f"{path}: samples must be finite numbers, got NaN or infinity")
    if largest > _LOUDEST:
        raise InvalidData(
            f"{path}: floating-point samples must be in [-1, 1], got {largest:,.6g}: divide them by that or by their "
            "full scale; --skip-unreadable leaves the clip out"
        )


def _flac(path: str | Path) -> tuple[int, np.ndarray]:
    try:
        import soundfile  # noqa: PLC0415 - only FLAC needs it
    except ImportError as error:
        raise InvalidData(f"{path}: FLAC needs the package soundfile: pip install 'unnerve[audio]'") from error
    try:
        samples, rate = soundfile.read(str(path), dtype="float32")
    except Exception as error:
        raise InvalidData(f"{path}: must be a FLAC file, whole and undamaged: {error}") from error
    return int(rate), samples


@lru_cache(maxsize=4)
def _largest(kind: str) -> float:
    return float(np.iinfo(kind).max) + 1


def _whole_numbers(stored: bytes, width: int, channels: int) -> np.ndarray:
    if width == 3:  # the upper bytes of four
        wider = np.zeros((len(stored) // 3, 4), np.uint8)
        wider[:, 1:] = np.frombuffer(stored, np.uint8).reshape(-1, 3)
        return wider.view("<i4").reshape(-1, channels)
    return np.frombuffer(stored, {1: "u1", 2: "<i2", 4: "<i4"}[width]).reshape(-1, channels)


def _one_channel(samples: np.ndarray) -> np.ndarray:
    values = _scaled(samples)
    return values if values.ndim == 1 else values.mean(axis=1, dtype=np.float32)


def _scaled(samples: np.ndarray) -> np.ndarray:
    if samples.dtype == np.uint8:  # the only kind of WAV without a sign: 128 is silence
        return (samples.astype(np.float32) - 128) / 128
    if samples.dtype.kind == "i":
        return (samples / _largest(samples.dtype.str)).astype(np.float32)
    return samples.astype(np.float32)
