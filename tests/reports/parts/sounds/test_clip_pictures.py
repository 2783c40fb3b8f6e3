import base64
import io

import numpy as np
import pytest
from PIL import Image
from scipy.io import wavfile

from unnerve.core.data.clips import Clips
from unnerve.reports.parts.sounds.clip_pictures import clip_change, clip_end, clip_picture, drawn_as_clip

RATE = 16_000
CLIP = np.zeros(8000, dtype=np.float32)
CLIP[:4000] = 0.3 * np.sin(2 * np.pi * 3000 * (1 + np.arange(4000)) / RATE)


def decoded(uri: str) -> bytes:
    return base64.b64decode(uri.partition(",")[2])


def image(uri: str) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(decoded(uri))).convert("L"), dtype=float)


def test_a_clip_is_drawn_and_played_up_to_its_end() -> None:
    shown = clip_picture(CLIP, Clips(RATE))
    rate, samples = wavfile.read(io.BytesIO(decoded(shown.sound)))
    assert (rate, len(samples)) == (RATE, 4000)
    np.testing.assert_allclose(samples / 32767, CLIP[:4000], atol=1e-4)
    picture = image(shown.uri)
    assert picture.shape == (120, 160)
    rows = picture[40:].mean(axis=1)  # the spectrogram, high frequencies above
    assert 15 < int(rows.argmax()) < 45, "3 kHz is in the upper half of the mel scale up to 8 kHz"


def test_a_change_is_made_louder_and_says_so() -> None:
    found = CLIP.copy()
    found[:4000] += np.float32(0.0025) * np.sign(np.sin(np.arange(4000))).astype(np.float32)
    shown = clip_change(found, CLIP, Clips(RATE))
    _, samples = wavfile.read(io.BytesIO(decoded(shown.sound)))
    assert shown.caption == "change, +40 dB"
    assert np.abs(samples / 32767).max() == pytest.approx(0.25, abs=0.01)


def test_features_are_drawn_without_a_sound() -> None:
    features = np.full((1, 40, 30), -1.0, dtype=np.float32)
    features[0, 5, :10] = 0.5
    clips = Clips(RATE, "logmel")
    assert clip_end(features, clips) == 10
    shown = clip_picture(features, clips)
    assert shown.sound == ""
    assert image(shown.uri).shape == (80, 160)
    changed = features + 0.1 * (features > -1)
    assert clip_change(changed, features, clips).caption.startswith("change, 0 to ")


@pytest.mark.parametrize("rate", [4000, 8000, 44_100, 48_000])
def test_every_usual_rate_is_drawn(rate: int) -> None:
    assert clip_picture(CLIP, Clips(rate)).uri.startswith("data:image/jpeg")


def test_what_is_drawn_as_a_clip() -> None:
    assert drawn_as_clip(Clips(RATE), (8000,))
    assert drawn_as_clip(Clips(RATE, "logmel"), (1, 40, 100))
    assert not drawn_as_clip(None, (8000,))
    assert not drawn_as_clip(Clips(RATE), (1, 28, 28))
