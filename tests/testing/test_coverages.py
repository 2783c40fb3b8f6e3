"""A criterion that breaks a promise is told which."""

from dataclasses import dataclass
from typing import Any

import pytest

from unnerve.core.methods import Covered
from unnerve.core.model import Want
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile
from unnerve.measure.coverages.nc import NC
from unnerve.testing.coverages import check_coverage


@dataclass(frozen=True)
class Loose:
    """Neuron coverage that asks for a profile and then does without."""

    wants = Want.RANGES
    profiled = True

    def begin(self, neurons: NeuronMap, profile: Profile | None = None) -> Covered:
        return NC(0.5).begin(neurons, profile)


def test_says_which_promise_is_broken() -> None:
    words = "a criterion that is profiled, begun without a profile, must be refused with InvalidSetting"
    with pytest.raises(AssertionError, match=words):
        check_coverage(Loose())


def test_states_of_other_settings_must_not_join(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: Any, other: Any) -> Any:
        return self

    monkeypatch.setattr(type(NC().begin(NeuronMap((), ""))), "__or__", careless)
    with pytest.raises(AssertionError, match="joining what was begun otherwise must be refused with InvalidSetting"):
        check_coverage(NC())
