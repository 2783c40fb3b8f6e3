"""By which verb, with which settings, and on what a run came about."""

import inspect
import json
from dataclasses import asdict, dataclass
from typing import Any

import pytest
import typer

import unnerve
from unnerve.cli.app import app
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance, call_from_json, called, called_with
from unnerve.core.naming.keywords import flat

COMMANDS: dict[str, Any] = vars(typer.main.get_command(app))["commands"]


@dataclass(frozen=True)
class Settings:
    inputs: int = 100
    queries: int | None = None
    again: bool = False


@flat(queries=500)
def hunt(model: object, method: str = "pgd", seed: int = 0, out: str = "runs", *, settings: Settings) -> Settings:
    """Do nothing."""
    return settings


def test_a_call_has_what_differs_from_the_defaults_of_its_verb() -> None:
    usual = {"method": "pgd", "seed": "0", "out": "runs"}
    assert called(hunt, usual, Settings(queries=500)) == Call("hunt")
    other = called(hunt, {"method": None, "seed": "3", "out": "there"}, Settings(7, None, True))
    assert other == Call("hunt", {"seed": "3", "out": "there", "inputs": "7", "again": True}, ("method", "queries"))


def test_the_words_of_the_command() -> None:
    call = Call("hunt", {"region": "l2:1", "quantised": True})
    model, data = Opening("zoo:a|jpeg:75", {"weights": "my w"}), Opening("d,size=9", {"stored_range": "-1,1"})
    words = ["--region", "l2:1", "--quantised", "--weights", "my w", "--stored-range", "-1,1"]
    assert Provenance(call, model, data).words() == ["unnerve", "hunt", "zoo:a|jpeg:75", "d,size=9", *words]
    assert Provenance(Call("inspect"), Opening("zoo:a")).words() == ["unnerve", "inspect", "zoo:a"]
    assert Provenance(call, model, data).but(region="linf:1", seed="3").call.settings == {
        "region": "linf:1",
        "quantised": True,
        "seed": "3",
    }


def test_there_are_no_words_for_what_exists_only_in_python() -> None:
    model, data = Opening("m", {}, ("normalise",)), Opening("d")
    some = Provenance(Call("hunt", {}, ("method",)), model, data)
    assert (some.only_in_python, some.words()) == (("method", "normalise"), [])
    assert Provenance(Call("hunt"), Opening(), Opening()).only_in_python == ("model", "data")
    assert some.but(method="pgd").only_in_python == ("normalise",)


@dataclass(frozen=True)
class Found:
    provenance: Provenance | None


def test_a_result_can_have_been_called_with_more() -> None:
    found = called_with(Found(Provenance(Call("rank", {"a": "1"}), Opening("m"))), out="r")
    assert found.provenance is not None
    assert found.provenance.call.settings == {"a": "1", "out": "r"}
    assert called_with(Found(None), out="r") == Found(None)


def test_a_call_survives_json_and_other_json_is_refused() -> None:
    call = Call("hunt", {"region": "l2:1", "quantised": True}, ("method",))
    whole = json.loads(json.dumps(asdict(call)))
    assert call_from_json(whole) == call
    changes: list[dict[str, Any]] = [{"verb": 3}, {"settings": []}, {"settings": {"a": 1}}, {"only_in_python": {}}]
    for change in changes:
        with pytest.raises(TypeError):
            call_from_json({**whole, **change})


@pytest.mark.parametrize("verb", ["hunt", "arena", "map", "react", "cover"])
def test_a_command_has_the_defaults_that_its_function_has(verb: str) -> None:
    """What a report leaves out because Python would assume it, the command must assume too."""
    shared = inspect.signature(getattr(unnerve, verb)).parameters
    options = {one.name: one.default for one in COMMANDS[verb].params if one.name in shared}
    assert len(options) > 3
    assert {name: shared[name].default for name in options if name not in ("model", "data")} == {
        name: usual for name, usual in options.items() if name not in ("model", "data")
    }
