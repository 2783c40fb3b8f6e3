from dataclasses import replace

import numpy as np
import pytest

from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments import guidance as module
from unnerve.papers.deepsensor.experiments.guidance import CRITERIA, EVERYTHING, NOTHING, Guidance, guidance
from unnerve.papers.deepsensor.first_errors import FirstErrors, evenness, naturalness
from unnerve.papers.deepsensor.setup import Plan, Setup

PLAN = Plan("guidance", Setup("lenet5", "mnist", "lineage:metamorphic", 4, 4))
# Without a queue: of four seeds three with one kind each, none natural, two classes in shares of 2/3 and 1/3.
WITHOUT = FirstErrors(((1,), (1,), (2,), ()), ((False,), (False,), (False,), ()))
# With one: two kinds each, half of them natural, four classes of equal shares.
WITH = FirstErrors(((1, 2), (3, 4), (1, 2), (3, 4)), ((True, False),) * 4)


def test_all_hunt_from_the_same_seeds_and_each_hunt_otherwise(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "QUERIES", 150)
    monkeypatch.setattr(module, "_HUNTS", 2)
    monkeypatch.setattr(module, "_SEARCHES", {name: module._SEARCHES[name] for name in (NOTHING, EVERYTHING, "kmnc")})
    found = guidance(replace(experiment, setup=replace(experiment.setup, region="lineage:metamorphic")))
    assert found.plan.setup.seed == experiment.setup.seed, "the random seeds of the hunts count up from it"
    assert list(found.rows) == [NOTHING, EVERYTHING, "kmnc"]
    assert {len(one.classes) for hunts in found.rows.values() for one in hunts} == {6}
    first, second = found.rows[NOTHING]
    assert first != second
    assert first.broken > 0


def test_every_criterion_is_hunted_with() -> None:
    assert tuple(module._SEARCHES) == (NOTHING, EVERYTHING, *CRITERIA)
    assert module._SEARCHES["nc(0.75)"] == "deephunter:nc(0.75)"


def test_figures_and_leads_by_hand() -> None:
    found = Guidance(PLAN, {NOTHING: (WITHOUT, WITHOUT, WITHOUT), "kmnc": (WITH, WITH, WITH)})
    broken, kinds, lead = found.broken(NOTHING), found.kinds("kmnc"), found.more_kinds("kmnc")
    assert broken is not None
    assert kinds is not None
    assert lead is not None
    assert (broken.mean, kinds.mean, lead.mean) == (0.75, 2, 1.25)
    natural, more_natural = found.figure("kmnc", naturalness), found.lead("kmnc", naturalness)
    assert natural is not None
    assert more_natural is not None
    assert (natural.mean, more_natural.mean) == (0.5, 0.5)
    assert -1 < more_natural.low < 0.5 < more_natural.high < 1
    less_biased = found.lead("kmnc", evenness)
    assert less_biased is not None
    assert less_biased.mean == pytest.approx((np.log(4) - 0.636514) / np.log(10), abs=1e-6)
    assert list(found.spreads()) == [
        f"{name}, {what}"
        for name in (NOTHING, "kmnc")
        for what in ("broken", "kinds per seed", "naturalness", "evenness")
    ]


def test_the_interval_knows_of_hunts_that_differ() -> None:
    alike = Guidance(PLAN, {NOTHING: (WITHOUT,) * 3, "kmnc": (WITH,) * 3}).more_kinds("kmnc")
    apart = Guidance(PLAN, {NOTHING: (WITHOUT,) * 3, "kmnc": (WITH, WITH, WITHOUT)}).more_kinds("kmnc")
    assert alike is not None
    assert apart is not None
    assert apart.high - apart.low > 1.5 * (alike.high - alike.low)


def test_a_search_that_finds_nothing_is_neither_natural_nor_even() -> None:
    none = FirstErrors(((),) * 4, ((),) * 4)
    found = Guidance(PLAN, {NOTHING: (none,), "kmnc": (WITH,)})
    assert found.figure(NOTHING, evenness) is None
    assert found.lead("kmnc", naturalness) is None
    assert "nothing, evenness" not in found.spreads()
