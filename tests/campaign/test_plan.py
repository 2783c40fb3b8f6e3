import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.campaign.differences import differences
from unnerve.campaign.plan import HuntPlan, Plan, Shard, Source, shards
from unnerve.campaign.records import decisive, plan_from_json, plan_to_json, recorded
from unnerve.core.errors import InvalidSetting
from unnerve.generate.noises.random import Random
from unnerve.generate.oracles.changed import Changed
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.linf import Linf

METHOD = Random(iterations=3)
PLAN: HuntPlan = Plan(Source("m", "1"), Source("d", "2"), (METHOD,), Linf(0.1), Changed(), seeds=120)


def as_json(plan: HuntPlan) -> dict[str, Any]:
    """Return a plan as it is stored, without what is only said of it."""
    return decisive(plan_to_json(recorded(plan, (1, 8, 8))))


@given(seeds=st.integers(1, 500), size=st.integers(1, 600), methods=st.integers(1, 5))
def test_every_method_meets_every_seed_exactly_once(seeds: int, size: int, methods: int) -> None:
    plan = replace(PLAN, seeds=seeds, shard=size, methods=(METHOD,) * methods)
    parts = shards(plan)
    met = [(part.method, seed) for part in parts for seed in range(part.start, part.stop)]
    assert met == [(method, seed) for method in range(methods) for seed in range(seeds)]
    assert all(part.stop - part.start <= size for part in parts)
    assert shards(plan) == parts, "a plan is cut in the same places every time"


def test_shards_by_hand() -> None:
    assert shards(replace(PLAN, methods=(METHOD, METHOD))) == [
        Shard(0, 0, 50),
        Shard(0, 50, 100),
        Shard(0, 100, 120),
        Shard(1, 0, 50),
        Shard(1, 50, 100),
        Shard(1, 100, 120),
    ]


def test_names_are_unique_and_sort_in_the_plans_order() -> None:
    names = [part.name for part in shards(replace(PLAN, methods=(METHOD,) * 12, seeds=12_000, shard=999))]
    assert sorted(set(names)) == names
    assert Shard(0, 0, 50).name == "method00-seeds0000000-0000050"


def test_more_seeds_leave_the_whole_shards_as_they_are() -> None:
    assert shards(PLAN)[:2] == shards(replace(PLAN, seeds=1000))[:2]


@pytest.mark.parametrize("method", ["pgd:steps=7", "guided:search=genetic(5),encoding=patch", "random gaussian"])
def test_survives_json(planned: Callable[..., HuntPlan], method: str) -> None:
    plan = planned(method, "l2:1.5", queries=100, keep_going=False, quantised=True, seed=2**64 - 1, shard=7)
    stored = recorded(plan, (1, 8, 8))
    again = plan_from_json(json.loads(json.dumps(plan_to_json(stored))))
    assert again == stored
    assert again.labels == plan.labels
    assert plan_to_json(again) == plan_to_json(stored)
    assert shards(again) == shards(plan)


def test_equal_plans_do_not_differ(planned: Callable[..., HuntPlan]) -> None:
    assert differences(as_json(planned("pgd")), as_json(planned("pgd"))) == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"seeds": 21}, "seeds: 20, now 21"),
        ({"queries": 100}, "queries: null, now 100"),
        ({"queries": 100, "again": True}, "queries: null, now 100; again: false, now true"),
        ({"keep_going": False}, "keep_going: true, now false"),
        ({"seed": 3}, "seed: 0, now 3"),
        ({"model": Source("tiny", "x")}, 'model.hash: "m", now "x"'),
        (
            {"region": L0(0.5)},
            'region.name: "linf", now "l0"; region.radius: 0.1, now nothing; region.share: nothing, now 0.5',
        ),
    ],
)
def test_a_difference_is_named(planned: Callable[..., HuntPlan], change: dict[str, Any], named: str) -> None:
    old = planned("pgd")
    assert "; ".join(differences(as_json(old), as_json(replace(old, **change)))) == named


def test_every_difference_is_named(planned: Callable[..., HuntPlan]) -> None:
    old, new = as_json(planned("pgd", seed=1)), as_json(planned("random", seed=2))
    assert differences(old, new) == [
        'methods.1.name: "pgd", now "random"',
        "methods.1.steps: 40, now nothing",
        "methods.1.random_start: true, now nothing",
        "seed: 1, now 2",
        "methods.1.iterations: nothing, now 100",
    ]
    assert differences({"a": None}, {}) == [], "a setting that is not there is as good as none"
    assert differences({"a": 1}, {"b": 2}) == ["a: 1, now nothing", "b: nothing, now 2"]


def test_a_difference_deep_inside_is_named(planned: Callable[..., HuntPlan]) -> None:
    old, new = (as_json(planned(f"random guided:search=pso(particles={count})")) for count in (5, 6))
    assert differences(old, new) == ["methods.2.search.particles: 5, now 6"]


@pytest.mark.parametrize(
    ("methods", "labels"),
    [
        ("pgd", ("pgd",)),
        ("pgd:steps=7", ("pgd",)),
        ("pgd:steps=7 random", ("pgd", "random")),
        ("pgd:steps=7 pgd:steps=9", ("pgd:steps=7", "pgd:steps=9")),
        ("pgd:steps=7 random pgd:steps=7,step=0.1", ("pgd:step=None", "random", "pgd:step=0.1")),
        (
            "guided:search=pso(particles=5) guided:search=pso(particles=6)",
            ("guided:search.particles=5", "guided:search.particles=6"),
        ),
    ],
)
def test_methods_are_labelled_by_what_sets_them_apart(
    planned: Callable[..., HuntPlan], methods: str, labels: tuple[str, ...]
) -> None:
    assert planned(methods).labels == labels


def test_labels_of_different_searches(planned: Callable[..., HuntPlan]) -> None:
    first, second, third = planned(
        "guided:search=random(population=5,iterations=2) guided:search=genetic(population=5) guided:encoding=patch"
    ).labels
    assert first.startswith("guided:search=random,")
    assert second.startswith("guided:search=genetic,")
    assert "encoding=patch" in third
    assert len({first, second, third}) == 3


@pytest.mark.parametrize("name", ["seeds", "shard", "queries", "pools"])
def test_refuses_strange_numbers(name: str) -> None:
    wrong: dict[str, Any] = {name: 0}
    with pytest.raises(InvalidSetting, match=rf"^{name} must be >= 1, got 0$"):
        replace(PLAN, **wrong)


def test_refuses_what_would_have_no_end() -> None:
    with pytest.raises(InvalidSetting, match=r"^again needs queries: without a budget there would be no end$"):
        replace(PLAN, again=True)
    with pytest.raises(InvalidSetting, match=r"^seeds must be <= 9,999,999, got 10,000,000$"):
        replace(PLAN, seeds=10_000_000)
    with pytest.raises(InvalidSetting, match=r"^a campaign has at most 1,000,000 shards; make them larger than 2$"):
        replace(PLAN, seeds=2_000_001, shard=2)
    with pytest.raises(InvalidSetting, match=r"^methods must name at least one$"):
        replace(PLAN, methods=())


@pytest.mark.parametrize(
    "change",
    [
        {"seeds": "12"},
        {"seeds": True},
        {"seeds": 1e3},
        {"shard": None},
        {"queries": 2.5},
        {"keep_going": 1},
        {"minimum_margin": "0"},
        {"methods": "pgd"},
        {"methods": {"name": "pgd"}},
        {"methods": ["pgd"]},
        {"methods": [{"steps": 3}]},
        {"methods": [{"name": ["pgd"]}]},
        {"region": "linf"},
        {"oracle": None},
    ],
)
def test_a_plan_of_strange_types_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidSetting, match=r"cannot be|must have a name|must have its facts"):
        plan_from_json({**plan_to_json(recorded(PLAN, (1, 8, 8))), **change})
