from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Plan, Source, StoredPlan, shards
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import MethodFacts, OracleFacts, RegionFacts
from unnerve.core.findings import Finding, finding_id
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.arena import arena, differences, ranked
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


def test_methods_share_seeds_region_and_budget(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    out = str(tmp_path / "a")
    found = arena(
        tiny_model,
        answered,
        ["random:iterations=4", "pgd:steps=5", "pgd:steps=7", "fgsm"],
        out,
        queries=40,
        region="linf:0.2",
        inputs=8,
        shard=3,
    )
    rows = {row["method"]: row for row in found.rows()}
    assert list(rows) == ["random", "pgd:steps=5", "pgd:steps=7", "fgsm"]
    assert {row["inputs"] for row in rows.values()} == {8}
    assert rows["random"]["queries"] == 8 * 40, "a method that ends earlier starts again"
    assert rows["pgd:steps=5"]["queries"] == rows["pgd:steps=7"]["queries"] == 8 * 39
    assert rows["fgsm"]["queries"] == 8 * 3, "but not if it would only repeat itself"
    assert len({tuple(seed.id for seed in one.seeds) for one in found.tallies.values()}) == 1
    assert found.plan.again
    assert set(found.findings["method"].to_pylist()) <= set(rows)
    assert [row["errors"] for row in found.rows()] == [
        found.findings["method"].to_pylist().count(label) for label in rows
    ]


def test_doubles_in_disguise_are_refused(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"^'pgd' is named twice with the same settings$"):
        arena(tiny_model, answered, ["pgd", "random", "pgd:steps=40"], str(tmp_path / "a"))
    assert list(tmp_path.iterdir()) == []


FINDING = Finding("", "", 0, 0, 1, 0.5, 0.5, 1, 0.1, 0.1, 0, 1.0, b"", (0,), "float32")


def made(path: Path, found: dict[str, list[list[int] | None]]) -> Campaign:
    """Return a campaign with these errors: for each method and seed, the wrong classes; None for a failed seed."""
    count = len(next(iter(found.values())))
    methods = tuple(MethodFacts({"name": name}, name, "seed") for name in found)
    region = RegionFacts({"name": "linf", "radius": 0.1}, "linf:0.1")
    oracle = OracleFacts({"name": "changed"}, "changed", "the answer changes")
    plan: StoredPlan = Plan(Source("m", "0"), Source("d", "1"), methods, region, oracle, count, shard=count)
    store = Store(str(path))
    store.begin(plan, {}, tensors(np.zeros((count, 1), np.float32)), resume=False)
    for shard, (label, per_seed) in zip(shards(plan), found.items(), strict=True):
        findings = tuple(
            (replace_finding(f"{label} {seed} {place}", str(seed), after), 2 + place)
            for seed, classes in enumerate(per_seed)
            for place, after in enumerate(classes or [])
        )
        records = tuple(
            SeedRecord(str(seed), 0, 0, 0, "broke") if classes is None else SeedRecord(str(seed), 9, 8, len(classes))
            for seed, classes in enumerate(per_seed)
        )
        store.write(shard, label, Outcome(findings, records))
    return Campaign(store)


def replace_finding(name: str, seed: str, after: int) -> Finding:
    return FINDING._replace(id=finding_id(seed, name.encode()), seed_id=seed, after=after, input=name.encode())


def test_ranked_by_seeds_broken_then_categories(tmp_path: Path) -> None:
    campaign = made(
        tmp_path / "a",
        {
            "many": [[1, 1, 1, 1], [], []],
            "kinds": [[1, 2], [1], []],
            "wide": [[1], [1], []],
            "none": [[], [], []],
        },
    )
    assert ranked(campaign.tallies) == ["kinds", "wide", "many", "none"]


def test_differences_by_hand(tmp_path: Path) -> None:
    campaign = made(tmp_path / "a", {"other": [[], [3]], "better": [[1, 2, 2], [3]]})
    (only,) = differences(campaign.tallies)
    assert (only.better, only.other) == ("better", "other")
    first, second = (BoundedCounts(np.array(some), 8) for some in ([3.0, 1.0], [0.0, 1.0]))  # 8 picks each
    assert only.errors == count_difference(first, second)
    assert (only.seeds_broken.mean, only.error_categories.mean, only.errors.mean) == (0.5, 1.0, 1.5)
    for one in (only.seeds_broken, only.error_categories, only.errors):
        assert one.low < 0 < one.high, "two seeds prove nothing"


def test_differences_are_paired(tmp_path: Path) -> None:
    """The same lead on every seed is nearly certain, however much the seeds differ among themselves."""
    base = [[0] * (seed % 5) for seed in range(30)]
    campaign = made(tmp_path / "a", {"more": [[1, *some] for some in base], "less": list(base)})
    (only,) = differences(campaign.tallies)
    assert only.errors.mean == 1
    assert only.errors.low > 0.3


def test_kinds_are_bounded_by_the_classes(tmp_path: Path) -> None:
    # A surplus of a single seed, of unknown size.
    found: dict[str, list[list[int] | None]] = {"better": [[1]] * 20, "other": [[1, 2], *[[]] * 19]}
    (only,) = differences(made(tmp_path / "a", found).tallies, classes=3)
    (loose,) = differences(made(tmp_path / "b", found).tallies)
    assert only.error_categories.mean == loose.error_categories.mean
    assert -2 <= loose.error_categories.low < only.error_categories.low, "of eight picks, or of two other classes"


def test_methods_that_never_differed_are_not_known_to_be_equal(tmp_path: Path) -> None:
    base = [[0] * (seed % 5) for seed in range(30)]
    (alike,) = differences(made(tmp_path / "b", {"one": list(base), "two": list(base)}).tallies)
    for one in (alike.seeds_broken, alike.error_categories, alike.errors):
        assert one.mean == 0
        assert one.low == pytest.approx(-one.high)
        assert one.high > 0.1


def test_only_seeds_that_both_have_hunted_are_compared(tmp_path: Path) -> None:
    campaign = made(
        tmp_path / "a", {"a": [[1], None, [1], []], "b": [[], [1], None, []], "c": [None, None, None, None]}
    )
    compared = {(one.better, one.other): one for one in differences(campaign.tallies)}
    assert list(compared) == [("a", "b")], "nothing is said where nothing can be compared"
    assert compared["a", "b"].seeds_broken.mean == 0.5


def test_a_certain_difference_is_significant(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    strong = [[1] if generator.random() < 0.7 else [] for _ in range(120)]
    weak = [[1] if generator.random() < 0.3 else [] for _ in range(120)]
    (only,) = differences(made(tmp_path / "a", {"weak": list(weak), "strong": list(strong)}).tallies)
    expected = np.mean([len(a) - len(b) for a, b in zip(strong, weak, strict=True)])
    assert only.better == "strong"
    assert only.seeds_broken.mean == pytest.approx(expected)
    assert 0 < only.seeds_broken.low < expected < only.seeds_broken.high < 1


def test_arena_resumes(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    def files(name: str) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (tmp_path / name / "shards").iterdir()}

    def run(name: str, resume: bool = False) -> Campaign:
        methods = ["random:iterations=4", "guided:search=pso(particles=4,iterations=3)"]
        return arena(tiny_model, answered, methods, str(tmp_path / name), queries=30, inputs=7, shard=3, resume=resume)

    whole = run("whole")
    run("cut")
    for file in sorted((tmp_path / "cut" / "shards").iterdir())[1:5]:
        file.unlink()
    assert files("cut") != files("whole")
    again = run("cut", resume=True)
    assert files("cut") == files("whole")
    assert [replace(one, method="") for one in again.tallies.values()] == [
        replace(one, method="") for one in whole.tallies.values()
    ]
