"""A model with the dropout that some settings describe."""

from typing import Any

import numpy as np
import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.rank.rank import rank
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.dropout import with_dropout


def given(settings: DropoutSettings, model: TorchModule, data: Examples, seed: int = 0) -> tuple[float | None, Any]:
    """Return rate and places of the model's dropout."""
    found = dropping(model, data, settings, seed)
    assert isinstance(found, TorchModule)
    return found.dropout.rate, tuple(found.dropout_points(data.batch(range(1)).inputs))


def test_without_a_rate_the_model_stays_as_it_is(tiny_model: TorchModule, answered: Examples) -> None:
    assert dropping(tiny_model, answered, DropoutSettings()) is tiny_model
    assert dropping(tiny_model, answered, DropoutSettings(draws=7)) is tiny_model


@pytest.mark.parametrize("rate", [0.4, "0.4"])
def test_a_rate_is_given_at_the_usual_places(rate: float | str, tiny_model: TorchModule, answered: Examples) -> None:
    usual = with_dropout(tiny_model, 0.4).dropout_points(answered.batch(range(1)).inputs)
    assert given(DropoutSettings(rate), tiny_model, answered) == (0.4, tuple(usual))


@pytest.mark.parametrize("places", ["1, before:4", ["1", "before:4"]])
def test_places_are_the_users(places: Any, tiny_model: TorchModule, answered: Examples) -> None:
    assert given(DropoutSettings(0.2, places), tiny_model, answered) == (0.2, ("1", "before:4"))


def test_a_rate_is_found_for_a_vro(tiny_model: TorchModule, answered: Examples) -> None:
    settings = DropoutSettings("vro=0.1", "before:4", draws=20)
    expected = calibrated_rate(tiny_model, answered, 0.1, places=["before:4"], draws=20, seed=3)
    assert given(settings, tiny_model, answered, seed=3) == (expected, ("before:4",))


@pytest.mark.parametrize("rate", ["much", "vr=0.3", "vro=", "=0.3x", ""])
def test_what_is_no_rate_is_refused(rate: str, tiny_model: TorchModule, answered: Examples) -> None:
    with pytest.raises(InvalidSetting, match=rf"^`dropout` must be a rate in \(0, 1\), or vro=V, got '{rate}'$"):
        dropping(tiny_model, answered, DropoutSettings(rate))


def test_refusals(tiny_model: TorchModule, answered: Examples) -> None:
    with pytest.raises(InvalidSetting, match=r"^`dropout_places` needs `dropout` RATE$"):
        DropoutSettings(dropout_places="1")
    with pytest.raises(InvalidSetting, match=r"^draws must be >= 1, got 0$"):
        DropoutSettings(draws=0)
    with pytest.raises(InvalidSetting, match=r"^the dropout rate must be in \(0, 1\), got 1\.5$"):
        dropping(tiny_model, answered, DropoutSettings(1.5))
    with pytest.raises(InvalidModel, match=r"^tiny calls no layer 'nonsense'; it calls: 0, "):
        dropping(tiny_model, answered, DropoutSettings(0.2, "1,nonsense"))
    with pytest.raises(InvalidModel, match="box is none"):
        dropping(BlackBox(lambda x: np.full((len(x), 2), 0.5), "box"), answered, DropoutSettings(0.5))


def test_verbs_take_a_rate_or_all_settings(tiny_model: TorchModule, answered: Examples) -> None:
    by_rate = rank(tiny_model, answered, "vro", dropout=0.4, draws=10)
    whole = rank(tiny_model, answered, "vro", dropout=DropoutSettings(0.4, draws=10))
    by_hand = rank(with_dropout(tiny_model, 0.4), answered, "vro", draws=10)
    assert by_rate.table().equals(whole.table())
    assert by_rate.table().equals(by_hand.table())
    proof = evaluate_ranking(tiny_model, answered, "vro", dropout=0.4, draws=5, inputs=10, tries=3, repeats=1)
    assert list(proof.scores) == ["vro"]
