import json
import pickle
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, OutputRefused
from unnerve.core.model import Observation
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.core.profiles import Profile, finite_neurons

MAP = NeuronMap((Layer("conv", 0, 2), Layer("dense", 2, 1)), "*")


def profile(low: list[float], high: list[float], model: str = "abc", neurons: NeuronMap = MAP) -> Profile:
    return Profile(model, neurons, torch.tensor(low), torch.tensor(high), inputs=4)


def test_two_profiles_join() -> None:
    one, other = profile([0, 1, 2], [5, 5, 5]), profile([1, 0, 2], [4, 6, 5])
    both = one | other
    assert both.low.tolist() == [0, 0, 2]
    assert both.high.tolist() == [5, 6, 5]
    assert both.inputs == 8
    assert both == other | one
    third = profile([-1, 9, 9], [0, 10, 11])
    assert (one | other) | third == one | (other | third)


def test_is_the_same_if_its_bounds_are() -> None:
    one = profile([0, 1, 2], [5, 5, 5])
    assert one == profile([0, 1, 2], [5, 5, 5])
    assert one == pickle.loads(pickle.dumps(one))  # noqa: S301 - our own bytes
    assert len({one, profile([0, 1, 2], [5, 5, 5])}) == 1
    assert one != profile([0, 1, 2], [5, 5, 6])
    assert one != profile([0, 1, 2], [5, 5, 5], model="other")
    assert one != "abc"


def test_refuses_another_model_and_other_neurons() -> None:
    one = profile([0, 0, 0], [1, 1, 1], model="0123456789")
    with pytest.raises(InvalidSetting, match="the profile is of another model: its hash is 01234567, not fedcba98"):
        one.check("fedcba9876543210", MAP)
    fewer = NeuronMap((Layer("conv", 0, 2),), "conv*")
    with pytest.raises(InvalidSetting, match=r"of other neurons: 3 chosen by '\*', not 2 chosen by 'conv\*'"):
        one.check("0123456789", fewer)
    with pytest.raises(InvalidSetting, match="another model"):
        one | profile([0, 0, 0], [1, 1, 1])  # type: ignore[unused-ignore]


def test_another_word_for_the_same_neurons_is_fine() -> None:
    profile([0, 0, 0], [1, 1, 1]).check("abc", NeuronMap(MAP.layers, "all"))


@pytest.mark.parametrize(("low", "high"), [([0, 0], [1, 1]), ([0, 0, 2], [1, 1, 1]), ([0, 0, float("nan")], [1, 1, 1])])
def test_refuses_bounds_that_are_none(low: list[float], high: list[float]) -> None:
    with pytest.raises(InvalidData, match="bounds"):
        profile(low, high)


def test_is_read_as_it_was_written(tmp_path: Path) -> None:
    one = profile([0.1, 1, -2], [5, 5, 1e-7])
    one.save(tmp_path / "p.safetensors")
    again = Profile.load(tmp_path / "p.safetensors")
    assert again == one
    assert (again.inputs, again.neurons, again.model) == (4, MAP, "abc")
    with pytest.raises(OutputRefused):
        one.save(tmp_path / "nowhere" / "p.safetensors")


def test_refuses_files_that_are_no_profiles(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="no such profile"):
        Profile.load(tmp_path / "p.safetensors")
    wrong = tmp_path / "wrong.safetensors"
    about = {"model": "abc", "inputs": 1, "chosen_by": "*", "layers": [["a", 3]]}
    bounds = {"low": torch.zeros(3), "high": torch.ones(3)}
    for tensors, metadata in (
        (bounds, None),
        (bounds, {"profile": "{"}),
        (bounds, {"profile": json.dumps({"model": "abc"})}),
        ({"low": torch.zeros(3)}, {"profile": json.dumps(about)}),
    ):
        save_file(tensors, wrong, metadata)
        with pytest.raises(InvalidData, match=r"wrong\.safetensors: not a profile"):
            Profile.load(wrong)
    wrong.write_bytes(pickle.dumps(about))
    with pytest.raises(InvalidData, match="not a profile"):
        Profile.load(wrong)


def test_finds_the_layer_with_a_value_that_is_no_number() -> None:
    for bad in (float("nan"), float("inf"), -float("inf")):
        seen = Observation(torch.zeros(1, 2), torch.tensor([[0, 1, bad]]))
        with pytest.raises(InvalidModel, match="values of neurons must be finite, got NaN or infinity in layer dense"):
            finite_neurons(seen, MAP)


def test_a_sum_that_overflows_is_no_fault() -> None:
    values = torch.tensor([[3e38, 3e38, 3e38]])
    assert finite_neurons(Observation(torch.zeros(1, 2), values), MAP) is values


def test_refuses_another_number_of_neurons() -> None:
    with pytest.raises(InvalidSetting, match="2 neurons were watched, not 3"):
        finite_neurons(Observation(torch.zeros(1, 2), torch.zeros(1, 2)), MAP)


def test_is_shown_in_one_line() -> None:
    assert repr(profile([0, 1, 2], [5, 5, 5], model="0123456789")) == (
        "<Profile: 3 neurons on 4 inputs, of the model 01234567>"
    )
