import pytest
import torch

from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.generate.perturbations.fog import Fog
from unnerve.generate.perturbations.natural import CHANGES, SOUNDS, Natural
from unnerve.generate.perturbations.rotation import Rotation

IMAGES = torch.rand(2, 3, 9, 9, generator=torch.Generator().manual_seed(0))


def test_the_third_parameter_says_which_change() -> None:
    parameters = torch.tensor([[[0.6, 0.3, 0.2], [0.6, 0.3, 0.9]]] * 2)
    made = Natural("rotation+fog").apply(IMAGES, parameters)
    assert torch.equal(made[:, 0], Rotation().apply(IMAGES, parameters[:, :1])[:, 0])
    assert torch.equal(made[:, 1], Fog().apply(IMAGES, parameters[:, 1:])[:, 0])


def test_all_changes_that_fit() -> None:
    assert Natural().named((3, 8, 8)) == CHANGES[:15]
    assert Natural().named((1000,)) == CHANGES[15:] == (*SOUNDS,)
    assert set(CHANGES) - set(Natural().named((1, 8, 8))) == {"saturation", *SOUNDS}
    with pytest.raises(InvalidData, match=r"^natural changes take images or waveforms, got inputs of shape \(7,\)$"):
        Natural().named((7,))


def test_refuses_unknown_changes() -> None:
    with pytest.raises(InvalidSetting, match=r"got 'snow'$"):
        Natural("fog+snow")
