"""A clip of sound as a picture, its waveform above its spectrogram, and as something that a page can play."""

import base64
import io

import numpy as np
import torch
from PIL import Image

from unnerve.core.data.clips import Clips
from unnerve.reports.parts.numbers import significant
from unnerve.reports.parts.palette import heat
from unnerve.reports.parts.thumbnails import Thumbnail
from unnerve.subjects.sounds.mel import LogMel
from unnerve.subjects.sounds.wav_bytes import wav_bytes

__all__ = ["clip_change", "clip_picture", "drawn_as_clip"]

_WIDTH, _WAVE, _BANDS, _TALL = 160, 40, 40, 2
_GROUND, _LINE = (24, 26, 34), (154, 165, 255)
_AUDIBLE = 0.25
"""The peak of a change when it is played: a change as it is would mostly not be heard."""


def drawn_as_clip(clips: Clips | None, shape: tuple[int, ...]) -> bool:
    """Say whether inputs of this shape are drawn as sounds."""
    return clips is not None and len(shape) == (1 if clips.form == "waveform" else 3)


def clip_picture(values: np.ndarray, clips: Clips, ends: int | None = None) -> Thumbnail:
    """Draw a clip, up to its end.

    Parameters
    ----------
    values : array of shape (L,), or (1, bands, frames)
        In [-1, 1].
    clips : Clips
    ends : int, optional
        Where it ends, in samples or frames; where its own padding begins by default.

    Returns
    -------
    Thumbnail
        With a sound, unless the clip is known by its features only.
    """
    shown = values[..., : ends or clip_end(values, clips)]
    if clips.form != "waveform":
        return Thumbnail(_jpeg(_spectrogram(shown[0])), exact=False)
    picture = np.concatenate([_wave(shown), _spectrogram(_features(shown, clips.rate))])
    return Thumbnail(_jpeg(picture), exact=False, sound=_player(shown, clips.rate))


def clip_change(values: np.ndarray, seed: np.ndarray, clips: Clips) -> Thumbnail:
    """Draw what changed between a clip and its seed; the sound of it is made louder, and its caption says how much."""
    change, ends = values - seed, clip_end(seed, clips)
    largest = float(np.abs(change).max())
    if clips.form != "waveform":
        share = np.abs(change[0, :, :ends]) / (largest or 1) * 2 - 1
        caption = f"change, 0 to {significant(25 * 2 * largest)} dB"  # of a scale on which 2 is 100 dB
        return Thumbnail(_jpeg(_spectrogram(share)), exact=False, caption=caption)
    factor = max(1.0, _AUDIBLE / largest) if largest > 0 else 1.0
    picture = clip_picture(change * factor, clips, ends)
    return Thumbnail(picture.uri, exact=False, sound=picture.sound, caption=f"change, +{_decibels(factor)} dB")


def clip_end(values: np.ndarray, clips: Clips) -> int:
    """Return where the padding of a clip begins, in samples or frames; at least one is left."""
    heard = np.flatnonzero((values != clips.silence).reshape(-1, values.shape[-1]).any(axis=0))
    return int(heard[-1]) + 1 if len(heard) else 1


def _decibels(factor: float) -> str:
    return str(round(20 * float(np.log10(factor))))


def _features(values: np.ndarray, rate: int) -> np.ndarray:
    """Return log-mel features of about as many moments as the picture is wide, (bands, frames)."""
    fft = max(16, 2 * (rate // 80))
    bands = min(_BANDS, fft // 8)
    samples = torch.tensor(values, dtype=torch.float32)  # a copy: what is read from a file may not be writable
    with torch.no_grad():
        front = LogMel(rate, bands, fft, hop=min(fft, max(1, len(values) // _WIDTH)))
        features: np.ndarray = front(samples.unsqueeze(0))[0, 0].numpy()
    return features


def _spectrogram(features: np.ndarray) -> np.ndarray:
    """Return features (bands, frames) in [-1, 1] as colours (H, W, 3), high frequencies above."""
    colours = heat(np.flipud(features) / 2 + 0.5)
    image = Image.fromarray(np.rint(np.moveaxis(colours, 0, -1) * 255).astype(np.uint8))
    return np.asarray(image.resize((_WIDTH, _BANDS * _TALL), Image.Resampling.BILINEAR))


def _wave(values: np.ndarray) -> np.ndarray:
    """Return the least and the largest sample of each column as a line, (H, W, 3)."""
    edges = np.linspace(0, len(values), _WIDTH + 1).astype(int)
    picture = np.full((_WAVE, _WIDTH, 3), _GROUND, dtype=np.uint8)
    top = max(float(np.abs(values).max()), 1e-9)  # as loud as it is, it fills its strip: level is seen below
    for column in range(_WIDTH):
        # A clip with fewer samples than the picture has columns gives some of them none: they repeat the one before.
        part = values[edges[column] : max(edges[column] + 1, edges[column + 1])] / top
        high, low = (round((1 - end) / 2 * (_WAVE - 1)) for end in (float(part.max()), float(part.min())))
        picture[high : low + 1, column] = _LINE
    return picture


def _player(values: np.ndarray, rate: int) -> str:
    return "data:audio/wav;base64," + base64.b64encode(wav_bytes(values, rate, sixteen=True)).decode()


def _jpeg(picture: np.ndarray) -> str:
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, "JPEG", quality=88, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode()
