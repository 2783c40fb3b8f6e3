import re
import wave
from pathlib import Path

import numpy as np
import pytest
from scipy.io import wavfile

from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._sounds.wav import resampled, sound, sounds_early

WAVE = (0.5 * np.sin(np.arange(800) / 9)).astype(np.float32)


@pytest.mark.parametrize(
    ("stored", "off"),
    [
        ((WAVE * 32767).astype(np.int16), 1e-4),
        ((WAVE * (2**31 - 1)).astype(np.int32), 1e-6),
        ((WAVE * 127 + 128).astype(np.uint8), 0.02),
        (WAVE, 0.0),
    ],
    ids=["16 bits", "32 bits", "8 bits", "floating point"],
)
def test_reads_every_kind(tmp_path: Path, stored: np.ndarray, off: float) -> None:
    wavfile.write(tmp_path / "a.wav", 8000, stored)
    values, rate = sound(tmp_path / "a.wav")
    assert (rate, str(values.dtype), values.shape) == (8000, "float32", (800,))
    np.testing.assert_allclose(values, WAVE, atol=off + 1e-7)


def test_stereo_becomes_its_mean(tmp_path: Path) -> None:
    wavfile.write(tmp_path / "a.wav", 8000, np.stack([WAVE, np.zeros_like(WAVE)], axis=1))
    np.testing.assert_allclose(sound(tmp_path / "a.wav")[0], WAVE / 2, atol=1e-7)


def test_flac_is_read_like_wav(tmp_path: Path) -> None:
    soundfile = pytest.importorskip("soundfile")
    soundfile.write(tmp_path / "a.flac", WAVE, 8000)
    np.testing.assert_allclose(sound(tmp_path / "a.flac")[0], WAVE, atol=1e-4)
    (tmp_path / "b.flac").write_bytes(b"fLaC no")
    with pytest.raises(InvalidData, match=r"b.flac: must be a FLAC file, whole and undamaged"):
        sound(tmp_path / "b.flac")


def test_resampling_keeps_a_tone() -> None:
    tone = np.sin(2 * np.pi * 100 * np.arange(4800) / 48000).astype(np.float32)
    found = resampled((tone, 48000), 16000)
    expected = np.sin(2 * np.pi * 100 * np.arange(1600) / 16000)
    assert found.shape == (1600,)
    np.testing.assert_allclose(found[50:-50], expected[50:-50], atol=0.01)
    assert resampled((tone, 48000), 48000) is tone


@pytest.mark.parametrize("channels", [1, 2])
def test_hears_the_beginning_of_24_bits(tmp_path: Path, channels: int) -> None:
    for name, heard in (("heard", 2**20 * WAVE), ("silent", 0 * WAVE)):
        stored = (heard.astype("<i4").repeat(channels)[:, None].view(np.uint8)[:, :3]).tobytes()
        with wave.open(str(tmp_path / f"{name}.wav"), "wb") as file:
            file.setparams((channels, 3, 8000, 0, "NONE", ""))
            file.writeframes(stored)
    assert sounds_early(tmp_path / "heard.wav") == (800, 8000)
    assert sounds_early(tmp_path / "silent.wav") is None
    with pytest.raises(InvalidData, match="must not be silent"):
        sound(tmp_path / "silent.wav")


def test_says_what_is_wrong(tmp_path: Path) -> None:
    wavfile.write(tmp_path / "silent.wav", 8000, np.zeros(100, np.int16))
    wavfile.write(tmp_path / "empty.wav", 8000, np.zeros(0, np.int16))
    wavfile.write(tmp_path / "nan.wav", 8000, np.array([0.1, np.nan], np.float32))
    wavfile.write(tmp_path / "infinite.wav", 8000, np.array([0.1, -np.inf], np.float32))
    wavfile.write(tmp_path / "whole.wav", 8000, (WAVE * 32767).astype(np.int16))
    (tmp_path / "cut.wav").write_bytes((tmp_path / "whole.wav").read_bytes()[:30])
    (tmp_path / "shorter.wav").write_bytes((tmp_path / "whole.wav").read_bytes()[:1000])
    (tmp_path / "text.wav").write_text("no sound")
    wavfile.write(tmp_path / "fast.wav", 2**31 - 1, (WAVE * 32767).astype(np.int8).astype(np.uint8))
    for name, message in (
        ("silent", "must not be silent, got 100 samples of 0"),
        ("empty", "must have at least one sample"),
        ("nan", "must be finite numbers"),
        ("infinite", "must be finite numbers"),
        ("cut", "must be a WAV file, whole and undamaged"),
        ("shorter", "whole and undamaged: it has 1,000 of the 1,644 bytes that it states"),
        ("text", "must be a WAV file, whole and undamaged"),
        ("fast", "samples per second must be in [1, 1,048,576], got 2,147,483,647"),
        ("none", "found no such file"),
    ):
        with pytest.raises(InvalidData, match=re.escape(message)):
            sound(tmp_path / f"{name}.wav")


def test_what_was_written_to_a_pipe_states_no_size(tmp_path: Path) -> None:
    wavfile.write(tmp_path / "a.wav", 8000, (WAVE * 32767).astype(np.int16))
    whole = (tmp_path / "a.wav").read_bytes()
    (tmp_path / "a.wav").write_bytes(whole[:4] + b"\xff\xff\xff\xff" + whole[8:])
    assert len(sound(tmp_path / "a.wav")[0]) == 800


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize(("largest", "told"), [(1.001, "1.001"), (-32767.0, "32,767"), (1e30, "1e+30")])
def test_floating_point_on_another_scale_is_refused(tmp_path: Path, kind: type, largest: float, told: str) -> None:
    other = np.append(WAVE, -largest)  # of two channels, so that their mean does not show it
    wavfile.write(tmp_path / "a.wav", 8000, np.stack([np.append(WAVE, largest), other], axis=1).astype(kind))
    message = rf"a.wav: floating-point samples must be in \[-1, 1\], got {re.escape(told)}: divide them by that"
    with pytest.raises(InvalidData, match=message):
        sound(tmp_path / "a.wav")


def test_what_float32_cannot_hold_is_refused_by_its_value(tmp_path: Path) -> None:
    wavfile.write(tmp_path / "a.wav", 8000, np.array([0.0, 1e300]))
    with pytest.raises(InvalidData, match=r"must be in \[-1, 1\], got 1e\+300"):
        sound(tmp_path / "a.wav")


def test_rounding_beyond_one_is_cut_off(tmp_path: Path) -> None:
    lowest = np.array([0, -(2**15), 2**15 - 1], np.int16)
    wavfile.write(tmp_path / "a.wav", 8000, (lowest / 32767).astype(np.float32))
    assert sound(tmp_path / "a.wav")[0].tolist() == [0, -1, 1]
