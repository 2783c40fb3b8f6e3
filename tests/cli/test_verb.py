"""Options that are the fields of settings."""

import re
from dataclasses import dataclass, field, fields
from typing import Annotated, Any

import pytest
import typer

from unnerve.cli._verb import Given, verb
from unnerve.cli.main import main
from unnerve.core.naming.keywords import documented
from unnerve.reports.reproduction.settings import ReproduceSettings
from unnerve.studies.cover.settings import CoverageSettings, CoverSettings
from unnerve.studies.diagnose.settings import DiagnoseSettings
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.harden.settings import HardenRun, HardenSettings
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.map.settings import MapSettings
from unnerve.studies.rank.settings import RankingTrial, RankSettings
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.opening import DataOptions, ModelOptions
from unnerve.subjects.training.settings import TrainSettings

OPENING = (ModelOptions, DataOptions)
VERBS: dict[str, tuple[type[Any], ...]] = {
    "hunt": (HuntSettings, CoverageSettings, RunSettings, *OPENING),
    "arena": (HuntSettings, CoverageSettings, RunSettings, *OPENING),
    "map": (MapSettings, HuntSettings, DropoutSettings, RunSettings, *OPENING),
    "react": (ReactSettings, *OPENING),
    "rank": (RankSettings, DropoutSettings, RankingTrial, *OPENING),
    "cover": (CoverSettings, *OPENING),
    "harden": (HardenSettings, HardenRun, *OPENING),
    "diagnose": (DiagnoseSettings, *OPENING),
    "train": (TrainSettings, DataOptions),
    "inspect": (ModelOptions,),
    "reproduce": (ReproduceSettings,),
}


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@pytest.mark.parametrize("name", VERBS)
def test_every_field_is_an_option_with_its_help(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    assert main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    words = " ".join(shown.replace("-\n", "-").split())
    offered = set(re.findall(r"^  (--[a-z-]+)", shown, re.MULTILINE))
    for group in VERBS[name]:
        for one in fields(group):
            if not one.metadata.get("option", True):
                assert option(one.name) not in offered
                continue
            assert option(one.name) in offered
            said = documented(group)[one.name]
            assert said, f"{group.__name__}.{one.name} says nothing"
            own = {("rank", "inputs"), ("rank", "seed"), ("inspect", "weights")}
            if (name, one.name) not in own:
                assert " ".join(said.split()[1:4]) in words


@dataclass(frozen=True)
class Wishes:
    """Some settings.

    Parameters
    ----------
    count : int
        How many.
    share : float, optional
        How much.
    loud : bool
        Whether to shout.
    place : str or list, optional
        Where.
    progress : bool
        Not an option.
    """

    count: int = 3
    share: float | None = None
    loud: bool = False
    place: "str | list[str] | None" = field(default=None, metadata={"metavar": "WHERE"})
    progress: bool = field(default=True, metadata={"option": False})


@dataclass(frozen=True)
class More:
    """Further settings, of which one is shared.

    Parameters
    ----------
    count : int
        How many.
    depth : int
        How deep.
    """

    count: int = 9
    depth: int = 2


def run(command: Any, *arguments: str) -> None:
    app = typer.Typer(add_completion=False)
    app.command()(command)
    typer.main.get_command(app)(list(arguments), standalone_mode=False)


def test_options_become_settings() -> None:
    got: list[Any] = []

    @verb(Wishes, More, count=4)
    def command(model: str, given: Given, json: Annotated[bool, typer.Option("--json")] = False) -> None:
        got.append((model, json, given[Wishes], given[More], given.named(Wishes)))

    run(command, "m")
    assert got.pop() == (
        "m",
        False,
        Wishes(count=4, progress=False),
        More(count=4),
        {"count": 4, "loud": False},
    )
    run(command, "m", "--json", "--count", "7", "--share", "0.5", "--loud", "--place", "here", "--depth", "1")
    model, json, wishes, more, _ = got.pop()
    assert (model, json, more) == ("m", True, More(7, 1))
    assert wishes == Wishes(7, 0.5, True, "here", progress=False), "a bar is for terminals"


def test_a_group_for_some_case_is_unset_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    got: list[Any] = []

    @verb(Wishes, optional={More: "With --depth"})
    def command(given: Given) -> None:
        got.append((given[Wishes], given.named(More)))

    run(command)
    assert got.pop() == (Wishes(progress=False), {"count": 3})
    run(command, "--depth", "5")
    assert got.pop()[1] == {"count": 3, "depth": 5}
    run(command, "--help")
    assert "With --depth: how deep." in " ".join(capsys.readouterr().out.replace("│", " ").split())


def test_types_are_checked() -> None:
    @verb(Wishes)
    def command(given: Given) -> None:
        raise AssertionError

    for wrong in (("--count", "x"), ("--share", "much"), ("--progress",)):
        with pytest.raises(Exception, match=r"valid (integer|number|int|float)|No such option"):
            run(command, *wrong)
