import numpy as np
import pytest
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.patch import Patch
from unnerve.measure.curves.f_measure import f_measure
from unnerve.studies.rank.perturbed_copies import Draws, FirstSuccesses, perturbed_answers
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule

DRAWS = Draws(Patch(), seed=0, step=3, tries=30)


class Counting:
    """A black box that counts its queries: class 1 if the upper left pixel is above one half."""

    def __init__(self) -> None:
        self.queries = 0

    def __call__(self, x: np.ndarray) -> np.ndarray:
        self.queries += len(x)
        pixel = x[:, 0, 0, 0] - 0.5
        return np.stack([-pixel, pixel], axis=1)


@pytest.fixture
def counting() -> Counting:
    return Counting()


@pytest.fixture
def box(counting: Counting) -> BlackBox:
    return BlackBox(counting, outputs="logits")


def test_copies_belong_to_the_input(small_data: Examples) -> None:
    together = DRAWS.copies(small_data.batch(range(40)))
    assert together.shape == (40, 30, 1, 8, 8)
    assert torch.equal(DRAWS.copies(small_data.batch([17]))[0], together[17])
    parameters = Patch().draw(Streams(0, ["17"]), 3, 30, (1, 8, 8))
    assert torch.equal(Patch().apply(small_data.batch([17]).inputs, parameters)[0], together[17])


def test_bulk_equals_one_by_one(tiny_model: TorchModule, small_data: Examples) -> None:
    bulk = torch.cat(list(perturbed_answers(tiny_model, small_data, range(40), DRAWS)))
    assert bulk.shape == (40, 30)
    assert len(bulk.unique()) > 1
    for row in range(0, 40, 9):
        copies = DRAWS.copies(small_data.batch([row]))[0]
        one_by_one = [int(tiny_model.observe(copy.unsqueeze(0)).predicted) for copy in copies]
        assert bulk[row].tolist() == one_by_one


def test_rows_come_in_the_order_asked_for(tiny_model: TorchModule, small_data: Examples) -> None:
    everything = torch.cat(list(perturbed_answers(tiny_model, small_data, range(40), DRAWS)))
    some = torch.cat(list(perturbed_answers(tiny_model, small_data, [31, 4, 4, 0], DRAWS)))
    assert torch.equal(some, everything[[31, 4, 4, 0]])


def test_first_successes_agree_with_all_tries(box: BlackBox, small_data: Examples) -> None:
    answers = box.observe(small_data.batch(range(40)).inputs).predicted
    changed = torch.cat(list(perturbed_answers(box, small_data, range(40), DRAWS))) != answers.unsqueeze(1)
    assert 0 < int(changed.any(dim=1).sum()) < 40
    expected = [row.nonzero()[0].item() if row.any() else None for row in changed]
    first = FirstSuccesses(box, small_data, answers, DRAWS)
    assert list(first.along(range(40))) == expected
    order = np.random.default_rng(0).permutation(40).tolist()
    assert list(first.along(order)) == [expected[row] for row in order]
    assert list(FirstSuccesses(box, small_data, answers, DRAWS).along(order)) == [expected[row] for row in order]


def test_only_what_is_looked_at_is_evaluated(box: BlackBox, counting: Counting, small_data: Examples) -> None:
    answers = box.observe(small_data.batch(range(40)).inputs).predicted
    outcomes = list(FirstSuccesses(box, small_data, answers, DRAWS).along(range(40)))
    hit = next(row for row, first in enumerate(outcomes) if first is not None)
    failing = [row for row, first in enumerate(outcomes) if first is None]
    counting.queries = 0
    first = FirstSuccesses(box, small_data, answers, DRAWS)
    assert f_measure(first.along([hit, *failing]), 30).examples == 1
    assert counting.queries == 30, "one input, thirty tries"
    found = f_measure(first.along([failing[0], hit, *failing[1:]]), 30)
    assert (found.examples, found.generations) == (2, 30 + int(outcomes[hit] or 0) + 1)
    assert counting.queries <= 30 * 4, "blocks double, so at most about twice what was needed"


def test_nothing_is_evaluated_twice(box: BlackBox, counting: Counting, small_data: Examples) -> None:
    answers = box.observe(small_data.batch(range(40)).inputs).predicted
    first = FirstSuccesses(box, small_data, answers, DRAWS)
    once = list(first.along(range(40)))
    counting.queries = 0
    assert list(first.along(range(39, -1, -1))) == once[::-1]
    assert counting.queries == 0


def test_an_empty_order(box: BlackBox, small_data: Examples) -> None:
    answers = torch.zeros(40, dtype=torch.int64)
    assert list(FirstSuccesses(box, small_data, answers, DRAWS).along([])) == []


def test_more_tries_than_a_block_holds(box: BlackBox, small_data: Examples) -> None:
    many = Draws(Patch(), seed=0, step=0, tries=1500)
    assert [part.shape for part in perturbed_answers(box, small_data, [0, 1], many)] == [(1, 1500), (1, 1500)]
