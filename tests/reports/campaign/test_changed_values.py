import numpy as np

from unnerve.core.data.features import Feature, Features
from unnerve.reports.campaign.changed_values import changed_values

FEATURES = Features(
    (
        Feature("year", "whole", 1950, 2020, 10),
        Feature("income", "real", 0, 9000, 500),
        Feature("city", "category", 0, 2, 0.8, ("Bonn", "Kiel", "Ulm")),
        *(Feature(f"f{number}", "real", 0, 1, 1.0) for number in range(6)),
    )
)


def test_features_are_named_with_before_and_after() -> None:
    seed = np.array([2012, 3000.5, 1] + [0] * 6, np.float32)
    found = seed + np.array([2, -250, 0] + [0] * 6, np.float32)
    assert changed_values(seed, found, FEATURES) == "income: 3000.5 to 2750.5 (-0.5 sd); year: 2012 to 2014 (+0.2 sd)"


def test_many_changes_are_cut_off_and_counted() -> None:
    seed = np.zeros(9, np.float32)
    assert changed_values(seed, np.ones(9, np.float32), FEATURES).endswith("; and 4 more")


def test_other_inputs_have_places() -> None:
    seed = np.zeros((2, 3), np.float32)
    found = seed.copy()
    found[1, 2] = 0.25
    assert changed_values(seed, found) == "value 1, 2: 0 to 0.25"
    assert changed_values(seed, found, FEATURES) == "value 1, 2: 0 to 0.25"
