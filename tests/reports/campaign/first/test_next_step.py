"""The one command worth running next."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.reports.campaigns import Hunted
from unnerve.core.data.provenance import Call
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.answer import answer
from unnerve.reports.campaign.first.next_step import alike_step, next_step


def step(folder: Path, **changes: object) -> tuple[str, list[str]]:
    reason, command = next_step(evidence([Hunted(methods=("pgd",)).but(**changes).campaign(folder)]))
    return reason, shlex.split(command)


def option(words: list[str], name: str) -> str:
    return words[words.index(f"--{name}") + 1]


def test_where_nearly_all_fail_a_quarter_of_the_region_follows(tmp_path: Path) -> None:
    reason, words = step(tmp_path / "a", seeds=10, spared=10)
    assert reason.startswith("nearly all images fail at 0.1")
    assert (option(words, "region"), option(words, "out")) == ("linf:0.025", f"{tmp_path / 'a'}-narrower")


def test_where_nothing_was_found_pgd_follows_in_the_same_region_and_then_a_wider_one(tmp_path: Path) -> None:
    _, words = step(tmp_path / "a", each=0, methods=("gaussian",))
    assert (option(words, "method"), option(words, "region")) == ("pgd", "linf:0.1")
    _, wider = step(tmp_path / "b", each=0)
    assert option(wider, "region") == "linf:0.2"


def test_where_no_uncommon_input_was_found_the_search_along_the_gradient_looks_for_the_same_pattern(
    tmp_path: Path,
) -> None:
    limits = "pattern=HH,confidence=0.7,uncertainty=0.6"
    found_nothing = {"each": 0, "methods": ("kuk:pattern=HH",), "oracle": f"pattern:{limits}"}
    _, words = step(tmp_path / "a", **found_nothing, call=Call("hunt", {"pattern": "HH", "out": "a"}))
    assert (option(words, "method"), option(words, "pattern")) == ("uncommon_ascent", "HH")
    assert option(words, "out") == f"{tmp_path / 'a'}-uncommon_ascent"
    _, words = step(tmp_path / "b", **found_nothing)
    assert option(words, "method") == f"uncommon_ascent:{limits}"
    assert option(words, "out") == f"{tmp_path / 'b'}-uncommon_ascent"


def test_blind_methods_are_followed_by_a_directed_one_and_others_by_an_export(tmp_path: Path) -> None:
    assert option(step(tmp_path / "a", methods=("gaussian",))[1], "method") == "pgd"
    files = ["--to", f"{tmp_path / 'b'}-failures"]
    assert step(tmp_path / "b")[1] == ["unnerve", "export", f"{tmp_path / 'b'}", *files]


def test_of_several_campaigns_the_one_that_found_something_is_exported(tmp_path: Path) -> None:
    nothing = Hunted(methods=("gaussian",)).but(each=0).campaign(tmp_path / "a")
    both = evidence([nothing, Hunted(methods=("pgd",)).campaign(tmp_path / "b")])
    assert shlex.split(next_step(both)[1])[:3] == ["unnerve", "export", f"{tmp_path / 'b'}"]
    found = answer(both)
    assert found is not None
    assert found.export.split()[2] == f"{tmp_path / 'b'}"


@pytest.mark.parametrize(
    ("changes", "option_of", "reason"),
    [
        (
            {"methods": ("pgd:steps=5",), "data": "other"},
            ("method", "pgd:steps=5"),
            "run the methods of b by the plan of a",
        ),
        ({"model": "zoo:other", "data": "other"}, ("region", "linf:0.1"), "hunt the model of b by the plan of a"),
        ({"region": "linf:0.02"}, ("to", "a-failures"), "write the failures"),
    ],
)
def test_unlike_campaigns_are_put_on_a_par(
    tmp_path: Path, changes: dict[str, Any], option_of: tuple[str, str], reason: str
) -> None:
    plain = Hunted(methods=("pgd",))
    both = evidence([plain.campaign(tmp_path / "a"), plain.but(**changes).campaign(tmp_path / "b")])
    following = alike_step(both)
    words = shlex.split(following.command)
    assert following.reason.startswith(reason)
    assert option(words, option_of[0]).endswith(option_of[1])
    assert words[2] == {"hunt": changes.get("model", "zoo:tiny"), "export": str(tmp_path / "a")}[words[1]]


def test_what_no_command_repeats_has_none(tmp_path: Path) -> None:
    assert step(tmp_path / "a", each=0, call=Call("hunt", {}, ("region",)), in_python=True)[1] == []


@pytest.mark.parametrize(
    ("method", "region", "shape", "offers", "wanted"),
    [
        ("natural", "semantic:severity=2", (1, 8, 8), None, ("region", "semantic:severity=4")),
        ("natural", "semantic", (1, 8, 8), None, ("inputs", "24")),
        ("random", "linf:1", (1, 8, 8), None, ("method", "pgd")),
        ("pgd", "linf:1", (1, 8, 8), None, ("inputs", "24")),
        ("random", "l0:0.05", (1, 8, 8), None, ("method", "jsma")),
        ("random", "l0:0.05", (1, 8, 8), [], ("region", "l0:0.1")),
        ("random", "linf:0.1", (1, 8, 8), [], ("method", "square")),
        ("square", "linf:0.1", (1, 8, 8), [], ("region", "linf:0.2")),
        ("random", "linf:0.1", (5,), [], ("region", "linf:0.2")),
        ("random", "linf:0.1", (5,), ["gradients"], ("method", "pgd")),
    ],
)
def test_only_what_region_and_model_admit_is_recommended(
    tmp_path: Path, method: str, region: str, shape: tuple[int, ...], offers: list[str] | None, wanted: tuple[str, str]
) -> None:
    call = Call("hunt", {"region": region, "inputs": "12", "out": "a"})
    nothing = {"each": 0, "methods": (method,), "region": region, "shape": shape, "offers": offers, "call": call}
    reason, words = step(tmp_path / "a", **nothing)
    assert option(words, wanted[0]) == wanted[1]
    told = {"pgd": "the model's gradient", "jsma": "the model's gradient", "square": "by the model's answers"}
    told |= {"24": "from twice as many inputs"}
    assert told.get(wanted[1], "a region of twice the size") in reason


def test_where_no_directed_search_is_possible_blind_methods_are_followed_by_an_export(tmp_path: Path) -> None:
    some = {"methods": ("random",), "region": "l0:0.5", "spared": 2}
    assert option(step(tmp_path / "a", **some)[1], "method") == "jsma"
    assert step(tmp_path / "b", **some, offers=[])[1][1] == "export"


def test_a_blind_method_of_ones_own_is_told_by_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(
        "from unnerve.generate.noises.random import Random\n\n\nclass Mine(Random):\n    blind = True\n"
    )
    reason, words = step(tmp_path / "a", methods=("mine.py:Mine",))
    assert option(words, "method") == "pgd"
    assert "does not look at the model" in reason
