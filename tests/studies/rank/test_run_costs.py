import numpy as np

from unnerve.measure.curves.f_measure import FMeasure
from unnerve.studies.intervals.waiting_time import saved_share, waiting_time
from unnerve.studies.rank.run_costs import examples_tried, generations, saved

SHORT = (FMeasure(3, 1, censored=False), FMeasure(1, 1, censored=False))
LONG = (FMeasure(120, 2, censored=False), FMeasure(200, 2, censored=True))


def test_tries_and_inputs_are_waiting_times() -> None:
    assert generations(SHORT, 200) == waiting_time(np.array([3.0, 1.0]), 200)
    assert examples_tried(LONG, 2) == waiting_time(np.array([2.0, 2.0]), 2)
    assert examples_tried(LONG, 2).high == 2, "there are no more inputs"


def test_saved_against_random() -> None:
    assert saved(LONG, SHORT, 200) == saved_share(np.array([120.0, 200.0]), np.array([3.0, 1.0]), 200)
    assert saved(LONG, SHORT, 200).mean == 1 - 2 / 160
