"""Figures of coverage that are kept as JSON."""

import json
from typing import Any

import pytest

from unnerve.core.errors import InvalidData
from unnerve.studies.campaign.coverage_gains import CoverageGains, Gain

GAINS = CoverageGains(
    neurons=20,
    chosen_by="conv*",
    profile_inputs=None,
    seeds=5,
    findings={"pgd": 7, "random": 0},
    criteria={
        "nc": Gain({"name": "nc", "threshold": 0.2}, 20, 5, {"pgd": 12, "random": 5}),
        "tknp": Gain({"name": "tknp"}, None, 4, {"pgd": 9, "random": 4}),
    },
)


def test_shares_and_numbers() -> None:
    nc, tknp = GAINS.criteria.values()
    assert (nc.value(), nc.value("pgd"), nc.gained("pgd"), nc.gained("random")) == (0.25, 0.6, 0.35, 0)
    assert (tknp.value(), tknp.value("pgd"), tknp.gained("pgd")) == (4, 9, 5)


def test_what_is_kept_is_read_again() -> None:
    kept = json.loads(json.dumps(GAINS.to_json(), allow_nan=False))
    assert CoverageGains.from_json(kept) == GAINS
    assert kept["criteria"]["nc"]["value"] == 0.25
    assert kept["criteria"]["nc"]["gain"] == {"pgd": 0.35, "random": 0}


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (["neurons"], -1),
        (["neurons"], 2.5),
        (["seeds"], True),
        (["filter"], None),
        (["findings"], [1]),
        (["findings", "pgd"], "7"),
        (["criteria"], {"nc": {}}),
        (["criteria", "nc", "covered"], 13),
        (["criteria", "nc", "total"], 11),
        (["criteria", "nc", "total"], 0),
        (["criteria", "nc", "covered_with"], None),
        ([], []),
        ([], {}),
    ],
)
def test_anything_else_is_refused(place: list[str], value: Any) -> None:
    kept: Any = {"whole": json.loads(json.dumps(GAINS.to_json()))}
    holder = kept
    *way, last = ["whole", *place]
    for key in way:
        holder = holder[key]
    holder[last] = value
    with pytest.raises(InvalidData, match=r"coverage.json is damaged; `coverage` measures again"):
        CoverageGains.from_json(kept["whole"])
