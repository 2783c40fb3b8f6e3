"""What inspect says of the verbs is what they do."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import unnerve
from tests.test_docs import VERBS
from unnerve.core.data.clips import Clips
from unnerve.core.errors import UserError
from unnerve.studies.inspect.verbs import usable_verbs
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model


def net() -> nn.Module:
    made = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(108, 3))
    draw = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in made.parameters():
            weights.copy_(torch.randn(weights.shape, generator=draw))
    return made


def box(x: np.ndarray) -> np.ndarray:
    return np.tile(np.array([0.5, 0.3, 0.2], dtype=np.float32), (len(x), 1))


NET = model(net(), outputs="logits")
X = torch.rand(40, 1, 8, 8, generator=torch.Generator().manual_seed(1))
FEW: dict[str, Any] = {"inputs": 2, "queries": 3}

RUNS: dict[str, Callable[[Any, Any, Path], object]] = {
    "rank": lambda subject, data, _: unnerve.rank(subject, data),
    "hunt": lambda subject, data, out: unnerve.hunt(subject, data, method="random", **FEW, out=out),
    "arena": lambda subject, data, out: unnerve.arena(subject, data, methods="random", **FEW, out=out),
    "map": lambda subject, data, out: unnerve.map(subject, data, attacks="random", **FEW, dropout=0.2, out=out),
    "cover": lambda subject, data, _: unnerve.cover(subject, data, criteria="nc"),
    "react": lambda subject, data, _: unnerve.react(subject, data, inputs=2, region="linf:1"),
}


@pytest.mark.parametrize("subject", [NET, model(box)], ids=["module", "box"])
@pytest.mark.parametrize("verb", RUNS)
def test_a_verb_works_where_it_is_said_to(verb: str, subject: Any, tmp_path: Path) -> None:
    (said,) = (one for one in usable_verbs(subject, (1, 8, 8), labelled=True) if one.verb == verb)
    try:
        RUNS[verb](subject, (X, subject.observe(X).predicted), tmp_path / "out")
    except UserError:
        assert not said.works
    else:
        assert said.works


def test_only_verbs_with_a_model_and_data_are_told() -> None:
    told = {one.verb for one in usable_verbs(NET, (1, 8, 8), labelled=None)}
    both = {name for name, verb in VERBS.items() if {"model", "data"} <= {one.name for one in verb.params}}
    assert told <= both - {"inspect"}


@pytest.mark.parametrize("form", ["waveform", "logmel"])
def test_what_works_on_speech(form: str, tmp_path: Path) -> None:
    shape = (600,) if form == "waveform" else (1, 8, 8)
    layers = nn.Sequential(nn.Flatten(), nn.Linear(600 if form == "waveform" else 64, 3))
    subject = model(layers.eval(), outputs="logits")
    x = torch.rand(30, *shape, generator=torch.Generator().manual_seed(2)) - 0.5
    made = tensors(x, subject.observe(x).predicted, name="clips")
    data = replace(made, value_range=(-1.0, 1.0), clips=Clips(8000, form))
    said = {one.verb: one for one in usable_verbs(subject, shape, True, data)}

    def works(run: Callable[[], object]) -> bool:
        try:
            run()
        except UserError:
            return False
        return True

    assert said["corrupt"].works == works(lambda: unnerve.corrupt(subject, data, severities="1", inputs=2))
    assert said["diagnose"].works
    for method in ("patch", "natural"):
        out = tmp_path / method
        runs = works(lambda: unnerve.hunt(subject, data, method=method, out=str(out), **FEW))  # noqa: B023
        assert runs == (method not in said["hunt"].note), method
    assert ("squeezing" in said["defend"].note) == (form == "waveform")


def test_words() -> None:
    text = {one.verb: str(one) for one in usable_verbs(model(box), (4,), labelled=False)}
    assert text["map"] == "map: no, dropout can only be given to an nn.Module"
    assert text["cover"] == "cover: no, it shows no neurons"
    assert text["score"] == "score: yes, --measure attack_success: it has no gradients"
    assert text["diagnose"] == "diagnose: no, it takes no images"
    assert text["defend"] == "defend: no, the data has no labels"
    assert "not apgd" in text["hunt"]
    assert str(usable_verbs(NET, (1, 8, 8), None)[3]) == "map: yes, with --dropout: it has none of its own"
