"""Settings of a hunt that cannot be: told at once, in one line, and nothing written."""

import re
from pathlib import Path
from typing import Any

import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.errors import DoubtfulAnswers, UserError
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"queries": 0}, "queries must be >= 1, got 0"),
        ({"shard": 0}, "shard must be >= 1, got 0"),
        ({"pools": 0}, "pools must be >= 1, got 0"),
        ({"proofs": 1001}, "proofs must be in [2, 1000], got 1001"),
        ({"seed": 2**64}, "seed must be in [0, 2**64), got 18446744073709551616"),
        ({"target": 4}, "target must be in [0, 3], got 4"),
        ({"oracle": "nonsense"}, "unknown oracle 'nonsense'"),
        ({"region": "l2:inf"}, "l2: radius must be a number of at most 1e+15, got 'inf'"),
        ({"region": "spread:1"}, "spread:1 is for tables"),
        ({"method": "pgd:8,pgd:steps=8"}, "'pgd' is named twice with the same settings"),
    ],
)
def test_what_is_mistyped_is_told_before_how_often_the_model_is_right(
    wrong: dict[str, Any], message: str, tiny_model: TorchModule, small_data: Examples, tmp_path: Path
) -> None:
    with pytest.warns(DoubtfulAnswers):
        hunt(tiny_model, small_data, "random:iterations=1", str(tmp_path / "right"), inputs=2)
    with pytest.raises(UserError, match=rf"^{re.escape(message)}"):
        hunt(tiny_model, small_data, out=str(tmp_path / "wrong"), **wrong)
    assert not (tmp_path / "wrong").exists()
