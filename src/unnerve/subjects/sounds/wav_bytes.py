"""Waveforms as the bytes of a WAV file."""

import io

import numpy as np
from scipy.io import wavfile

__all__ = ["sounding", "wav_bytes"]


def wav_bytes(values: np.ndarray, rate: int, *, sixteen: bool = False) -> bytes:
    """Return a WAV file of one channel.

    Parameters
    ----------
    values : array of shape (L,)
        In [-1, 1].
    rate : int
        Samples per second.
    sixteen : bool
        Whole numbers of 16 bits, which every browser plays, in half the space; else float32, which loses nothing.
    """
    stored = np.rint(np.clip(values, -1, 1) * 32767).astype(np.int16) if sixteen else values.astype(np.float32)
    buffer = io.BytesIO()
    wavfile.write(buffer, rate, stored)
    return buffer.getvalue()


def sounding(values: np.ndarray) -> np.ndarray:
    """Return a waveform (L,) without the zeros at its end; at least one sample is left."""
    heard = np.flatnonzero(values)
    return values[: int(heard[-1]) + 1 if len(heard) else 1]
