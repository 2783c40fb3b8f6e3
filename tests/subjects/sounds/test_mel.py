import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.subjects.sounds.mel import LogMel, MelPower, mel_filters

RATE = 16_000


def clips() -> torch.Tensor:
    time = torch.arange(4000) / RATE
    swept = 0.4 * torch.sin(2 * torch.pi * (200 + 3000 * time) * time)
    noisy = 0.1 * torch.randn(4000, generator=torch.Generator().manual_seed(0))
    return torch.stack([swept, noisy, torch.zeros(4000)])


@pytest.mark.parametrize("slaney", [False, True])
@pytest.mark.parametrize(("bands", "fft", "hop"), [(40, 400, 160), (64, 512, 128)])
def test_powers_are_those_of_librosa(bands: int, fft: int, hop: int, slaney: bool) -> None:
    librosa = pytest.importorskip("librosa")
    x = clips()
    expected = librosa.feature.melspectrogram(
        y=x.numpy(), sr=RATE, n_fft=fft, hop_length=hop, pad_mode="constant", n_mels=bands,
        norm="slaney" if slaney else None,
    )  # fmt: skip
    found = MelPower(RATE, bands, fft, hop, slaney)(x).transpose(1, 2).numpy()
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-9 * float(expected.max()))


def test_decibels_are_those_of_librosa() -> None:
    librosa = pytest.importorskip("librosa")
    x = clips()
    power = librosa.feature.melspectrogram(
        y=x.numpy(), sr=RATE, n_fft=400, hop_length=160, pad_mode="constant", n_mels=40, norm=None
    )
    decibels = librosa.power_to_db(power, ref=100.0**2, amin=1e-30, top_db=None)
    expected = np.clip(decibels / 50 + 1, -1, 1)
    found = LogMel(RATE, 40)(x).numpy()[:, 0]
    # Most bands of the pure sweep hold what single precision leaves of nothing; those of the others are as loud as
    # those of speech.
    for row, within in enumerate((5e-4, 2e-5, 0)):
        np.testing.assert_allclose(found[row], expected[row], rtol=0, atol=within)


def test_a_full_scale_tone_is_one_and_silence_minus_one() -> None:
    filters = mel_filters(RATE, 40, 400)
    bin_of_peak = int(filters[20].argmax())
    tone = torch.sin(2 * torch.pi * bin_of_peak * 40 * torch.arange(8000) / RATE)  # 40 Hz a bin
    found = LogMel(RATE, 40)(torch.stack([tone, torch.zeros(8000)]))
    assert found.shape == (2, 1, 40, 51)
    assert float(found[0].max()) == pytest.approx(1, abs=0.01)
    assert (found[1] == -1).all()


def test_gradients_are_those_of_finite_differences() -> None:
    front = LogMel(RATE, 8, fft=64, hop=32).double()
    x = 0.3 * torch.randn(1, 128, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    assert torch.autograd.gradcheck(front, x.requires_grad_(True), eps=1e-6, atol=1e-5)


def test_gradients_are_finite_in_silence() -> None:
    x = torch.zeros(1, 800, requires_grad=True)
    LogMel(RATE, 40)(x).sum().backward()
    assert x.grad is not None
    assert (x.grad == 0).all()


def test_filters_are_triangles() -> None:
    filters = mel_filters(RATE, 40, 400)
    assert filters.shape == (40, 201)
    assert 0 <= float(filters.min()) <= float(filters.max()) <= 1
    assert (filters.argmax(dim=1).diff() >= 0).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"hop": 0}, "hop must be in"), ({"bands": 0}, "bands, rate and fft"), ({"bands": 300}, "bands must be fewer")],
)
def test_refuses_settings(settings: dict[str, int], message: str) -> None:
    with pytest.raises(InvalidSetting, match=message):
        MelPower(RATE, **settings)  # type: ignore[arg-type]


def test_refuses_what_is_no_waveform() -> None:
    with pytest.raises(InvalidData, match=r"waveforms must have the shape \(N, L\), got \(2, 1, 8\)"):
        MelPower(RATE)(torch.zeros(2, 1, 8))
