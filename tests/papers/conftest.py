import pytest

from unnerve.studies.intervals import nested


@pytest.fixture(autouse=True)
def few_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resample less: these tests look at what is told of intervals, not at their last digits."""
    monkeypatch.setattr(nested, "RESAMPLES", 25)
