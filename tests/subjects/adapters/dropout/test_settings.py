import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.subjects.adapters.dropout.settings import Dropout


@pytest.mark.parametrize("rate", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_refuses_rates_that_drop_nothing_or_all(rate: float) -> None:
    with pytest.raises(InvalidSetting, match=r"the dropout rate must be in \(0, 1\), got"):
        Dropout(rate)


def test_places_need_a_rate_and_a_name() -> None:
    with pytest.raises(InvalidSetting, match="dropout at chosen places needs a rate"):
        Dropout(places=("pool",))
    with pytest.raises(InvalidSetting, match="places must name at least one layer"):
        Dropout(0.5, ())
