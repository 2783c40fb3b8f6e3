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
from unnerve import hunt
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
    net = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    with torch.no_grad():
        for one in net.parameters():
            one.copy_(torch.linspace(-3, 3, one.numel()).sin().view_as(one))
    return net.eval()
"""
SOUND = {"MODEL": "net.py:build", "DATA": "data.npz", "CAMPAIGN": "run"}
SOUND_VALUES = """
--out made --report made.html --save-profile made.npz --to made --score gini --reference data.npz --profile data.npz
--seed 7 --dropout 0.2 --fail-if errors>100 --normalise 0.5/0.5 --model-range 0,1 --outputs logits --device cpu
--precision float32 --stored-range 0,1 --classes a,b,c --region linf:0.2 --order given --oracle changed --target 1
--shard 2 --pools 2 --method fgsm --methods fgsm --attacks fgsm --seconds 60 --step-seconds 60 --criteria nc
--also data.npz --coverage nc --threshold 0.5 --pairs 2 --top 1 --measure clever --changes gaussian_noise --severities 1
--model net.py:build --campaign run --from run --against run --shape 1,4,4 --train data.npz --validation data.npz
--steps 2 --thresholds 0.3,0.7,0.4,0.6
"""
VALUES = dict(zip(SOUND_VALUES.split()[::2], SOUND_VALUES.split()[1::2], strict=True))
"""One value for an option that some verb can do its work with."""
SMALL = {"--inputs": "2", "--queries": "20", "--limit": "40", "--workers": "1", "--proofs": "2"}
"""Given where a verb has them, unless the line has its own: what is sound shall not take long."""
NEEDED = {
    "harden": ["--from", "run", "--clever-inputs", "2", "--validation-inputs", "4"],
    "export": ["--to", "made"],
    "map": ["--dropout", "0.2", "--draws", "3", "--attacks", "fgsm"],
    "defend": ["--inputs", "2", "--calibration", "20", "--defences", "jpeg", "--against", "run"],
    "react": ["--methods", "fgsm"],
    "arena": ["--methods", "fgsm"],
    "hunt": ["--method", "fgsm"],
    "score": ["--measure", "attack_success", "--attacks", "fgsm"],
    "report": ["--out", "made.html"],
    "corrupt": ["--changes", "gaussian_noise", "--severities", "1"],
}
"""Without which a verb refuses, or takes long; given to lines that shall get as far as the work."""
SKIPPED = ("--install-completion", "--show-completion", "--engine", "--address", "--help")


def verbs() -> dict[str, list[Any]]:
    command: Any = typer.main.get_command(app)
    return {name: list(one.params) for name, one in command.commands.items() if name not in LONG}


@st.composite
def lines(draw: st.DrawFn) -> list[str]:
    known = verbs()
    verb = draw(st.sampled_from(sorted(known)))
    # Most of the lines get as far as the work, with what is sound alone or one option in doubt.
    honest = draw(st.integers(0, 3)) > 0
    words = [verb]
    options = [one for one in known[verb] if one.opts[0].startswith("--") and one.opts[0] not in SKIPPED]
    for argument in (one for one in known[verb] if not one.opts[0].startswith("-")):
        sound = SOUND.get(str(argument.metavar).strip("[]"), "pgd")
        if honest or draw(st.integers(0, 9)):
            words.append(sound if honest or draw(st.integers(0, 3)) else draw(st.sampled_from(STRANGE)))
    chosen = draw(st.lists(st.sampled_from(options), max_size=3, unique_by=lambda one: one.opts[0])) if options else []
    for place, option in enumerate(chosen):
        value = {**VALUES, **SMALL}.get(option.opts[0])
        if honest and (option.opts[0] in ("--skip-unreadable", "--resume") or (value is None and not option.is_flag)):
            continue
        words.append(option.opts[0])
        if honest and not option.is_flag and (place or draw(st.integers(0, 3))):
            words.append(str(value))
        elif not option.is_flag:
            words.append(draw(st.one_of(st.sampled_from(STRANGE), st.text(max_size=8))))
    needed = NEEDED.get(verb, []) if honest else []
    for name, value in zip(needed[::2], needed[1::2], strict=True):
        words += [] if name in words else [name, value]
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
    inputs = np.random.default_rng(3).random((48, 1, 4, 4), dtype=np.float32)
    np.savez(folder / "data.npz", x=inputs, y=np.arange(48) % 3)
    hunt(
        str(folder / "net.py:build"),
        str(folder / "data.npz"),
        region="linf:0.5",
        method="fgsm",
        inputs=3,
        out=folder / "run",
    )
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
@settings(max_examples=1000, derandomize=False, **TRIES)
@given(words=lines())
def test_a_thousand_command_lines(
    words: list[str], workshop: Path, commands: Commands, tmp_path_factory: pytest.TempPathFactory, tries: Tries
) -> None:
    check(words, workshop, commands, tmp_path_factory.getbasetemp(), tries)
