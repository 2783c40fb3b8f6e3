from typing import Any

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.studies.rank.settings import RankingTrial


def test_the_defaults_are_the_papers() -> None:
    trial = RankingTrial()
    assert (trial.inputs, trial.tries, trial.repeats, trial.perturbation) == (1000, 100, 30, "patch")


@pytest.mark.parametrize("name", ["inputs", "tries", "repeats"])
def test_refuses_nothing(name: str) -> None:
    settings: dict[str, Any] = {name: 0}
    with pytest.raises(InvalidSetting, match=f"^{name} must be >= 1, got 0$"):
        RankingTrial(**settings)
