from pathlib import Path

import numpy as np
import pytest

from unnerve.subjects.datasets._sounds.wav import sound
from unnerve.subjects.sounds.wav_bytes import sounding, wav_bytes

WAVE = np.array([0.5, -0.25, 0.0, 1.0, -1.0, 0.0, 0.0], dtype=np.float32)


@pytest.mark.parametrize(("sixteen", "off"), [(False, 0.0), (True, 1e-4)])
def test_is_read_again(tmp_path: Path, sixteen: bool, off: float) -> None:
    (tmp_path / "a.wav").write_bytes(wav_bytes(WAVE, 8000, sixteen=sixteen))
    values, rate = sound(tmp_path / "a.wav")
    assert rate == 8000
    np.testing.assert_allclose(values, WAVE, atol=off)


def test_what_sounds_ends_before_the_padding() -> None:
    assert sounding(WAVE).tolist() == WAVE[:5].tolist()
    assert sounding(np.zeros(4)).tolist() == [0.0]
