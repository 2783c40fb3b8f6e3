from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers.deepsensor_faults.experiments.started import Started, started
from unnerve.papers.deepsensor_faults.experiments.swept import KINDS
from unnerve.papers.deepsensor_faults.setup import FaultPlan

CRITERIA = {"nc", "kmnc", "nbc", "snac", "tknc", "bknc"}


def test_coverage_by_start(begun: Begun) -> None:
    found = started(*begun("started", ""))
    assert list(found.gains)[:3] == ["sensitive, fixed", "sensitive, random", "sensitive, edge"]
    assert set(found.gains["excitable, edge"]) == CRITERIA
    scattered = {f"{kind}, {name}" for kind in KINDS for name in CRITERIA if found.lead(kind, name) is not None}
    assert set(found.spreads()) == scattered > {"sensitive, kmnc", "excitable, kmnc"}


def test_the_lead_is_that_of_the_random_start(begun: Begun) -> None:
    plan: FaultPlan = begun("started", "")[0]
    gains = {
        f"{kind}, {start}": {"nc": values}
        for kind in ("sensitive", "excitable")
        for start, values in (("fixed", (0.1, 0.1)), ("random", (0.2, 0.3)))
    }
    lead = Started(plan, gains).lead("sensitive", "nc")
    assert lead is not None
    assert abs(lead.mean - 0.15) < 1e-12
    assert lead.low < 0.1


def test_batches_that_are_alike_have_no_interval(begun: Begun) -> None:
    gains = {f"sensitive, {start}": {"nbc": (0.0, 0.0)} for start in ("fixed", "random")}
    assert Started(begun("started", "")[0], gains).lead("sensitive", "nbc") is None
