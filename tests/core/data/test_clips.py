import pytest
import torch

from unnerve.core.data.clips import Clips, padding_of
from unnerve.core.errors import InvalidSetting


def test_a_clip_ends_with_its_last_sound() -> None:
    x = torch.tensor([[0.0, 0.5, 0.0, -0.1, 0.0, 0.0], [1.0] * 6, [0.0] * 6])
    assert padding_of(x).tolist() == [[False] * 4 + [True] * 2, [False] * 6, [True] * 6]


def test_features_end_where_every_band_is_silent() -> None:
    x = torch.full((1, 1, 2, 4), -1.0)
    x[0, 0, 1, 2] = 0.3
    assert padding_of(x, -1.0).shape == (1, 1, 1, 4)
    assert padding_of(x, -1.0).flatten().tolist() == [False, False, False, True]


def test_goes_to_json_and_back() -> None:
    assert Clips.from_json(Clips(8000, "logmel").to_json()) == Clips(8000, "logmel")
    assert (Clips(8000).silence, Clips(8000, "logmel").silence) == (0.0, -1.0)


def test_refuses_what_is_no_sound() -> None:
    with pytest.raises(InvalidSetting, match="rate must be >= 1, got 0"):
        Clips(0)
    with pytest.raises(InvalidSetting, match="form must be waveform or logmel, got 'mp3'"):
        Clips(8000, "mp3")
