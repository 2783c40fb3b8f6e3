from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.pools import Pool
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers.tensorfuzz import TensorFuzz, _new_rows
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

COLUMNS = ("inputs", "logits", "roots")


class Corner(nn.Module):
    """Two classes; class 1 only where the first value is above 0.9, far from what a single mutant of 0.5 reaches."""

    def forward(self, x: Tensor) -> Tensor:
        first = x[:, 0]
        return torch.stack([30 * (0.9 - first), torch.zeros_like(first)], dim=1)


def pool(count: int = 3, radius: float = 0.5) -> Pool:
    model = TorchModule(Corner(), "corner", outputs="logits")
    inputs = torch.full((count, 2), 0.5)
    meter = Meter(count, None, shared=True)
    metered = Metered(model, meter)
    batch = Batch(inputs, torch.zeros(count, dtype=torch.int64), tuple(map(str, range(count))))
    seeds = Seeds(batch, model.observe(inputs))
    everyone = torch.ones(count, dtype=torch.bool)
    return Pool(Subject(metered), seeds, Linf(radius), Streams(0, ["pool"]), everyone)


def test_new_is_what_lies_far_from_everything_met_and_from_new_rows_before() -> None:
    known = torch.tensor([[0.0, 0.0], [10.0, 0.0]])
    logits = torch.tensor([[0.5, 0.5], [3.0, 0.0], [3.0, 0.9], [3.0, 1.1], [10.0, 1.0]])
    assert _new_rows(logits, known, threshold=1.0).tolist() == [1, 3]


def test_the_corpus_grows_by_new_logits_with_their_roots() -> None:
    given = pool()
    hunter = TensorFuzz(mutants=20)
    state = hunter.begin(given)
    hunter.step(given, state)
    corpus = Corpus(state, COLUMNS)
    assert len(corpus) > 3
    assert torch.equal(corpus["roots"][:3], torch.arange(3))
    assert bool((corpus["roots"] < 3).all())
    apart = torch.cdist(corpus["logits"][3:], corpus["logits"][:1]).square()
    assert float(apart.amin()) > 1.0


def test_finds_a_corner_that_no_single_mutant_reaches() -> None:
    given = pool()
    hunter = TensorFuzz(mutants=20, deviation=0.05)
    state = hunter.begin(given)
    found = []
    for step in range(60):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        inside = (candidates.inputs - given.seeds.batch.inputs[candidates.seed_index]).abs().amax() <= 0.5 + 1e-6
        assert bool(inside)
        found.append(float(candidates.inputs[0, 0]))
    assert max(found[:2]) < 0.85
    assert max(found) > 0.9


def test_entries_are_chosen_among_the_newest_and_one_of_all() -> None:
    given = pool(10)
    hunter = TensorFuzz(recent=2)
    corpus = Corpus(hunter.begin(given), COLUMNS)
    chosen = Counter(int(hunter._chosen(corpus, replace(given, step=step))) for step in range(6000))
    # One of three places is drawn: the two newest have 1/3 each, and a tenth of the last third as all others have.
    assert chosen[9] / 6000 == pytest.approx(1 / 3 + 1 / 30, abs=0.03)
    assert chosen[8] / 6000 == pytest.approx(1 / 3 + 1 / 30, abs=0.03)
    assert sum(chosen[row] for row in range(8)) / 6000 == pytest.approx(8 / 30, abs=0.03)


def test_broken_seeds_are_left_alone() -> None:
    given = replace(pool(), wanted=torch.tensor([False, True, False]))
    hunter = TensorFuzz(mutants=4)
    state = hunter.begin(given)
    for step in range(20):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        assert candidates.seed_index.tolist() == [1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mutants": 0}, "mutants must be >= 1, got 0"),
        ({"deviation": 0.0}, "deviation must be > 0, got 0.0"),
        ({"threshold": -1.0}, "threshold must be >= 0, got -1.0"),
        ({"recent": -1}, "recent must be >= 0, got -1"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        TensorFuzz(**settings)
