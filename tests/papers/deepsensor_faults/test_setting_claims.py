"""A sweep that finds hardly anything decides nothing."""

import pytest

from unnerve.papers.deepsensor.setup import Setup
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits
from unnerve.papers.deepsensor_faults.experiments.swept import Swept
from unnerve.papers.deepsensor_faults.parts import Results
from unnerve.papers.deepsensor_faults.setting_claims import claims_of
from unnerve.papers.deepsensor_faults.setup import FaultPlan


def hits(broken: int) -> Hits:
    errors = (1,) * broken + (0,) * (40 - broken)
    return Hits(errors, errors, 100.0)


@pytest.mark.parametrize(
    ("first", "last", "verdict"),
    [(0, 0, "cannot be decided"), (0, 3, "cannot be decided"), (0, 12, "held"), (30, 2, "not held")],
)
def test_where_nothing_is_found_nothing_rises(first: int, last: int, verdict: str) -> None:
    plan = FaultPlan("epsilon", "", 100, 210, Setup("lenet5", "mnist", "linf:0.2", 40, 10))
    swept = Swept(plan, {"enough": {"sensitive": {"0.2": hits(first), "1.0": hits(last)}}})
    assert [one.verdict for one in claims_of(Results((), (swept,), (), (), ()))] == [verdict]
