import math
from dataclasses import replace

import pytest

from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers._json import from_json, to_json
from unnerve.papers.deepsensor_faults.changes import change, changed, lead, too_few
from unnerve.papers.deepsensor_faults.experiments.repaired import Mended, Repaired, RepairPlan
from unnerve.studies.harden.result import Compared
from unnerve.studies.intervals.interval import Interval

NOTHING = Interval(0, -0.04, 0.04)


@pytest.fixture
def plan(begun: Begun) -> RepairPlan:
    return RepairPlan(begun("repaired", "")[0], "linf:0.3", "linf:0.1", 5, 20, "clever")


def repaired(plan: RepairPlan, moved: Interval, scores: dict[str, tuple[float, float]] | None = None) -> Repaired:
    compared = Compared(Interval(1, 0.9, 1), Interval(1, 0.9, 1), moved)
    return Repaired(plan, {"PGD": Mended(5, {"pgd": compared, "clever": compared}, scores or {})})


def test_networks_that_all_change_by_nothing_do_not_change_for_sure(plan: RepairPlan) -> None:
    # Student's interval over three means of zero would be from 0 to 0, though each network alone reaches 0.04.
    found = change([repaired(plan, NOTHING)] * 3, "PGD", "pgd")
    assert found is not None
    assert found.ci95 == pytest.approx((-0.04, 0.04))


def test_inputs_count_beside_networks(plan: RepairPlan) -> None:
    some = [repaired(plan, Interval(mean, mean - 0.1, mean + 0.1)) for mean in (-0.16, -0.14, -0.15)]
    found = change(some, "PGD", "pgd")
    assert found is not None
    assert found.mean == pytest.approx(-0.15)
    assert found.low < -0.25
    assert found.high > -0.05


def test_clever_of_few_inputs_has_no_interval(plan: RepairPlan) -> None:
    few = repaired(replace(plan, clever_inputs=6), NOTHING)
    assert too_few(few.plan, "clever")
    assert change([few], "PGD", "clever") is None
    assert change([few], "PGD", "pgd") == NOTHING
    # As many as were asked for need not have a score under both networks.
    assert changed(repaired(plan, NOTHING, {str(one): (0.1, 0.2) for one in range(9)}), "PGD", "clever") is None


def test_clever_of_scores_is_made_anew(plan: RepairPlan) -> None:
    found = changed(repaired(plan, NOTHING, {str(one): (0.1, 0.1 + 0.01 * one) for one in range(20)}), "PGD", "clever")
    assert found is not None
    assert found.mean == pytest.approx(0.095)
    assert 0 < found.low < 0.095 < found.high
    assert changed(repaired(plan, NOTHING), "PGD", "clever") == NOTHING, "of a cell without scores"


def test_what_is_no_number_is_no_change(plan: RepairPlan) -> None:
    assert changed(repaired(plan, Interval(math.nan, -1, 1)), "PGD", "pgd") is None
    assert changed(repaired(plan, NOTHING), "absent", "pgd") is None


def test_a_lead_has_the_reach_of_both() -> None:
    own, other = Interval(0.5, 0.4, 0.7), Interval(0.1, 0.0, 0.3)
    found = lead([(own, [other, other])] * 2, 1, factor=2)
    assert found is not None
    assert found.mean == pytest.approx(0.3)
    # Two times 0.2 above the other's mean, 0.1 below one's own; equal networks add nothing.
    assert found.low == pytest.approx(0.3 - math.hypot(0.1, 0.4))
    assert found.high == pytest.approx(0.3 + math.hypot(0.2, 0.2))


def test_a_network_alone_has_no_lead() -> None:
    assert lead([(NOTHING, [NOTHING])], 1) is None
    assert lead([(NOTHING, []), (None, [NOTHING])], 1) is None


def test_older_cells_without_scores_are_read(plan: RepairPlan) -> None:
    result = repaired(plan, NOTHING)
    stored = to_json(result)
    del stored["repairs"]["PGD"]["clever_scores"]
    assert from_json(Repaired, stored) == result
