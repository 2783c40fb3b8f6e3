"""Command lines made at random of the command's own words and of strange ones: every one ends as promised."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzzing.commands import Commands, complaint
from tests.tries import Tries
from unnerve.cli.app import app

LONG = ("demo", "download", "reproduce", "train")
"""Verbs that fetch from the network, or take minutes when they are given sound words."""

WORDS = """
- -- -1 0 1 2 nan inf -inf 1e400 1e15 0x10 1_000 3.5 ' " %s {x} $HOME ~ =1+1 a,b , : :: | a|b ( ) (( pso(pso(pso . .. /
/dev/null /dev/full nowhere/x data.npz run file.txt net.py net.py: net.py:build net.py:nothing zoo: zoo:lenet5
zoo:lenet5|jpeg:0 linf:0.1 linf:-1 l0:2 l2:nan spread:1 pgd pgd:steps=0 pgd:steps=-1 pgd:steps=x fgsm,fgsm pd gini:x=1
misclassified becomes:99 kmnc:sections=0 digits npz:data.npz npz:file.txt hf:x imagefolder:. csv:file.txt 0,1 1,0
1,28,28 -1,28 0.1/0.2 0/0 true None [] local
"""
STRANGE = ("", " ", "\0", "\n", "\x1b[31m", "\u00fc", "\u202e", "9" * 400, "a" * 300, *WORDS.split())
NETS = """
import torch
from torch import nn

def build():
    net = nn.Sequential(nn.Flatten(), nn.Linear(16, 3))
    with torch.no_grad():
        for one in net.parameters():
            one.copy_(torch.linspace(-3, 3, one.numel()).sin().view_as(one))
    return net.eval()
"""
SOUND = {"MODEL": "net.py:build", "DATA": "data.npz", "CAMPAIGN": "run"}
SMALL = {"--inputs": "2", "--queries": "20", "--limit": "6", "--workers": "1", "--draws": "3", "--proofs": "2"}
"""Given where a verb has them, unless the line has its own: what is sound shall not take long."""
SKIPPED = ("--install-completion", "--show-completion", "--engine", "--address", "--help")


def verbs() -> dict[str, list[Any]]:
    command: Any = typer.main.get_command(app)
    return {name: list(one.params) for name, one in command.commands.items() if name not in LONG}


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    known = verbs()
    verb = draw(st.sampled_from(sorted(known)))
    words = [verb]
    options = [one for one in known[verb] if one.opts[0].startswith("--") and one.opts[0] not in SKIPPED]
    for argument in (one for one in known[verb] if not one.opts[0].startswith("-")):
        sound = SOUND.get(str(argument.metavar).strip("[]"), "x")
        if draw(st.integers(0, 9)):
            words.append(sound if draw(st.integers(0, 3)) else draw(st.sampled_from(STRANGE)))
    chosen = draw(st.lists(st.sampled_from(options), max_size=3, unique_by=lambda one: one.opts[0])) if options else []
    for option in chosen:
        words.append(option.opts[0])
        if not option.is_flag:
            words.append(draw(st.one_of(st.sampled_from(STRANGE), st.text(max_size=8))))
    here = {one.opts[0] for one in options}
    for name, value in SMALL.items():
        if name in here and name not in words:
            words += [name, value]
    return words


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "net.py").write_text(NETS)
    (folder / "file.txt").write_text("no table, no array\n")
    inputs = np.random.default_rng(3).random((12, 1, 4, 4), dtype=np.float32)
    np.savez(folder / "data.npz", x=inputs)
    return folder


@pytest.fixture(scope="module")
def commands() -> Iterator[Commands]:
    made = Commands()
    yield made
    made.close()


def check(words: list[str], workshop: Path, commands: Commands, place: Path, tries: Tries) -> None:
    folder = place / f"line{commands.runs}"
    shutil.copytree(workshop, folder)
    tries.made += 1
    try:
        said = complaint(commands.run(words, folder), words)
        tries.failed += said is not None
        assert said is None, f"{words}: {said}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    assert Path("/dev/null").is_char_device()


TRIES: dict[str, Any] = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
    "print_blob": True,
}


@pytest.mark.tried("command lines")
@settings(max_examples=15, derandomize=True, database=None, **TRIES)
@given(words=lines())
def test_a_few_command_lines(
    words: list[str], workshop: Path, commands: Commands, tmp_path_factory: pytest.TempPathFactory, tries: Tries
) -> None:
    check(words, workshop, commands, tmp_path_factory.getbasetemp(), tries)


@pytest.mark.soak
@pytest.mark.tried("command lines")
@settings(max_examples=1000, **TRIES)
@given(words=lines())
def test_a_thousand_command_lines(
    words: list[str], workshop: Path, commands: Commands, tmp_path_factory: pytest.TempPathFactory, tries: Tries
) -> None:
    check(words, workshop, commands, tmp_path_factory.getbasetemp(), tries)
