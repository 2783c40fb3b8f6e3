"""How long a hunt goes on unless it is told."""

from pathlib import Path

import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.model import Capability
from unnerve.generate.attacks.pgd import PGD
from unnerve.studies.hunt._usual import usual_queries
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.mark.parametrize("method", ["tensorfuzz:mutants=100", "deephunter:nc(0.5),mutants=50,entries=4"])
def test_hunters_that_always_have_another_step_end_after_a_thousand_queries(
    method: str, tiny_model: TorchModule, answered: Examples, tmp_path: Path
) -> None:
    found = hunt(tiny_model, answered, method, tmp_path / "a", region="linf:0.1", inputs=2)
    assert found.plan.queries == 1000
    assert 1000 < found.summary()["queries"] <= 2000


@pytest.mark.parametrize(("stated", "queries"), [({}, 1000), ({"endless": True}, 1000), ({"endless": False}, None)])
def test_a_pool_that_does_not_say_whether_it_ends_is_presumed_endless(
    stated: dict[str, bool], queries: int | None
) -> None:
    silent = {"needs": Capability.ANSWERS, "regions": None, "begin": lambda *_: None, "step": lambda *_: None}
    assert usual_queries([type("Mine", (), {**silent, **stated})()]) == queries
    assert usual_queries([PGD()]) is None


def test_others_end_by_themselves(tiny_model: TorchModule, answered: Examples, tmp_path: Path) -> None:
    found = hunt(tiny_model, answered, "pgd:steps=8", tmp_path / "a", region="linf:0.1", inputs=2)
    assert found.plan.queries is None
    asked = hunt(tiny_model, answered, "tensorfuzz:mutants=10", tmp_path / "b", inputs=2, queries=50)
    assert asked.plan.queries == 50
