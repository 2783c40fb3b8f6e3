"""KuK's search: its own settings, and inputs that it finds."""

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.judge import judge
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.subject import Subject
from unnerve.generate.guided.kuk import KuK
from unnerve.generate.oracles.pattern import Pattern
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.genetic import Genetic
from unnerve.testing.scene import proposals, scene, tiny_model


def test_the_papers_settings() -> None:
    hunter = KuK()
    assert (hunter.genetic.population, hunter.genetic.iterations) == (100, 50)
    assert (hunter.genetic.crossover, hunter.genetic.mutation, hunter.masks) == (0.5, 0.005, 50)
    assert hunter.step_cost(10) == 100 * 51
    limits = {name: (KuK(name).goal.limits.p, KuK(name).goal.limits.v) for name in ("LL", "HH", "LH", "HL")}
    assert limits == {"LL": (0.3, 0.4), "HH": (0.7, 0.6), "LH": (0.3, 0.6), "HL": (0.7, 0.4)}


def test_settings_of_the_search_stand_among_its_own() -> None:
    hunter = build("hunter", "kuk:pattern=HL,population=7,masks=9")
    assert hunter == KuK("HL", masks=9, genetic=Genetic(population=7))
    assert build("hunter", describe(hunter)) == hunter


def test_finds_what_it_looks_for() -> None:
    given = scene([20, 36, 3, 8])
    region, goal = Linf(0.3), Pattern("LL", 0.3, 0.6)
    hunter = KuK("LL", 0.3, 0.6, masks=20, genetic=Genetic(20, 12, mutation=0.05))
    found = {
        finding.seed_id
        for one in proposals(hunter, given, region)
        for _, finding in judge(Subject(tiny_model()), given[1], one, goal, region)
    }
    assert len(found) >= 3


def test_refuses_a_pattern_that_is_none() -> None:
    with pytest.raises(InvalidSetting, match=r"^pattern must be LL, LH, HL or HH, got 'HLL'$"):
        KuK("HLL")
