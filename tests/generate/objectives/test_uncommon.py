"""KuK's piecewise fitness, by hand, and where its pieces meet."""

from itertools import pairwise

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.masks import Masks
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.guided.guided import Guided
from unnerve.generate.objectives.uncommon import Uncommon
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.genetic import Genetic
from unnerve.measure.scores.margin import margin
from unnerve.measure.scores.vro import vro
from unnerve.testing.scene import proposals, scene, small_images, tiny_model


def values(pattern: str, pcs: list[float], spread: list[float], wrong: list[int]) -> list[float]:
    first, second = (torch.tensor([one], dtype=torch.float64) for one in (pcs, spread))
    found: list[float] = Uncommon(pattern).values(first, second, torch.tensor([wrong]).bool())[0].tolist()
    return found


@pytest.mark.parametrize(
    ("pattern", "pcs", "wrong", "expected"),
    [
        ("LL", [0.5, 0.9], [0, 1], [-0.5, -0.9]),  # min > 0.3: lower PCS
        ("LL", [0.2, 0.9], [0, 1], [1 - 0.1, 0 - 0.8]),  # else [PCS < p] - VRO
        ("LL", [0.3, 0.9], [0, 0], [0 - 0.1, 0 - 0.8]),  # not strictly above: the second piece
        ("HH", [0.5, 0.6], [0, 1], [0.5, 0.6]),  # max < 0.7: raise PCS
        ("HH", [0.5, 0.8], [0, 1], [0.1, 1.8]),  # else [PCS > p] + VRO
        ("HL", [0.5, 0.9], [0, 0], [-0.5, -0.9]),  # all right: lower PCS
        ("HL", [0.5, 0.6], [0, 1], [0.5, 1.6]),  # some wrong, max < 0.7: A + PCS
        ("HL", [0.8, 0.9], [0, 1], [1 - 0.1, 2 - 0.8]),  # else A + [PCS > p] - VRO
        ("LH", [0.5, 0.9], [0, 1], [0.5, -0.9]),  # min > 0.3: B - PCS
        ("LH", [0.2, 0.9], [0, 0], [2.1, 1.8]),  # else B + [PCS < p] + VRO
        ("LH", [0.2, 0.1], [1, 0], [1.1, 2.8]),
    ],
)
def test_by_hand(pattern: str, pcs: list[float], wrong: list[int], expected: list[float]) -> None:
    assert values(pattern, pcs, [0.1, 0.8], wrong) == pytest.approx(expected)


def test_each_seed_has_its_own_piece() -> None:
    pcs, spread = torch.tensor([[0.5, 0.9], [0.2, 0.9]]), torch.tensor([[0.1, 0.8], [0.1, 0.8]])
    found = Uncommon("LL").values(pcs, spread, torch.zeros(2, 2, dtype=torch.bool))
    assert found.tolist() == [pytest.approx([-0.5, -0.9]), pytest.approx([0.9, -0.8])]


@pytest.mark.parametrize("pattern", ["LL", "HH", "LH", "HL"])
def test_in_the_last_piece_the_best_keeps_to_the_pattern_if_any_does(pattern: str) -> None:
    generator = torch.Generator().manual_seed(1)
    goal = Uncommon(pattern)
    pcs, spread = (torch.rand(2000, 4, generator=generator, dtype=torch.float64) for _ in range(2))
    wrong = torch.rand(2000, 4, generator=generator) < 0.5
    keeps = (goal.limits.confidence_gap(pcs) > 0) & (goal.limits.uncertainty_gap(spread) > 0)
    keeps &= torch.ones_like(wrong) if goal.limits.wrong is None else wrong == goal.limits.wrong
    best = goal.values(pcs, spread, wrong).argmax(dim=1)
    some = keeps.any(dim=1)
    assert 100 < int(some.sum()) < 1900
    assert bool(keeps[some, best[some]].all())


def test_candidates_of_a_generation_share_masks_and_generations_do_not() -> None:
    subject, seeds, _ = scene([20, 36])
    goal = Uncommon("HH", 0.01, 0.5, masks=8)
    fitness = goal.prepare(subject, seeds)
    x = (seeds.batch.inputs.unsqueeze(1) + torch.linspace(0, 0.2, 3).view(1, 3, 1, 1, 1)).clamp(0, 1)
    for generation in range(2):
        found = fitness(x, torch.arange(2))
        for row in range(2):
            masks = Masks(0, (seeds.batch.ids[row],) * 3, 8, generation * 8)
            seen = tiny_model().observe(x[row])
            spread = vro(tiny_model().samples(x[row], masks), seen.probabilities)
            pcs = 1 - margin(seen.probabilities)
            assert found[row].tolist() == pytest.approx(((pcs > 0.01) + spread).tolist(), abs=1e-6)


def test_draws_cost_only_where_the_piece_looks_at_them() -> None:
    subject, seeds, _ = scene([20, 36])
    x = seeds.batch.inputs.unsqueeze(1).repeat(1, 3, 1, 1, 1)
    pcs = 1 - margin(seeds.clean.probabilities)
    low = float(pcs.min()) / 2
    before = subject.model.meter.spent.clone()
    Uncommon("LL", low, 0.4, masks=8).prepare(subject, seeds)(x, torch.arange(2))
    assert (subject.model.meter.spent - before).tolist() == [3, 3], "no candidate is below the limit: one pass each"
    Uncommon("HH", low, 0.4, masks=8).prepare(subject, seeds)(x, torch.arange(2))
    assert (subject.model.meter.spent - before).tolist() == [3 + 27, 3 + 27]
    assert Uncommon(masks=8).cost(10) == 9


def test_a_seed_that_drew_is_asked_for_answers_and_draws_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    pcs = 1 - margin(tiny_model().observe(small_images()).probabilities)
    # The surest and the least sure input, and a limit between them, so that only the first one draws.
    subject, seeds, _ = scene([int(pcs.argmax()), int(pcs.argmin())])
    goal, both = Uncommon("HH", float((pcs.max() + pcs.min()) / 2), 0.5, masks=8), torch.arange(2)
    x = seeds.batch.inputs.unsqueeze(1).repeat(1, 3, 1, 1, 1)
    unsure = x[1:].expand_as(x)
    asked: list[list[int]] = []
    together = Metered.observed_samples

    def watched(model: Metered, rows: Tensor, masks: Masks) -> object:
        assert model.rows is not None
        asked.append(model.rows.unique().tolist())
        return together(model, rows, masks)

    monkeypatch.setattr(Metered, "observed_samples", watched)
    fitness, before = goal.prepare(subject, seeds), subject.model.meter.spent.clone()
    found = [fitness(one, both) for one in (x, x, unsure, x)]
    assert asked == [[0], [0]]
    # The third generation drew in vain.
    assert (subject.model.meter.spent - before).tolist() == [4 * 3 * (1 + 8), 4 * 3]
    # What is asked for at once is what is asked for one after the other: here no generation before has drawn.
    for number, one in enumerate((x, x, unsure, x)):
        alone = goal.prepare(subject, seeds)
        for _ in range(number):
            alone(unsure, both)
        assert torch.equal(alone(one, both), found[number])
    assert asked == [[0], [0]]


def test_members_keep_to_the_pattern_only_where_draws_were_looked_at() -> None:
    pcs, spread = torch.tensor([[0.2, 0.25, 0.5], [0.5, 0.6, 0.7]]), torch.tensor([[0.3, 0.5, 0.1], [0.0, 0.0, 0.0]])
    wrong = torch.tensor([[False, True, False], [True, True, False]])
    assert Uncommon("LL").met(pcs, spread, wrong).tolist() == [[True, False, False], [False] * 3]
    # Sure and steady, but wrong only once; and a population of which none is sure has had no draws.
    pcs, spread = torch.tensor([[0.8, 0.9, 0.2], [0.6, 0.65, 0.1]]), torch.zeros(2, 3)
    wrong = torch.tensor([[True, False, True], [True, True, True]])
    assert Uncommon("HL").met(pcs, spread, wrong).tolist() == [[True, False, False], [False] * 3]


def test_the_search_proposes_all_that_keep_to_the_pattern() -> None:
    given = scene([20, 36, 3, 8])
    goal = Uncommon("LL", 0.3, 0.6, masks=20)
    found = proposals(Guided(Genetic(20, 12, mutation=0.05), goal), given, Linf(0.3))
    several = [one for one in found if len(one.seed_index) > len(one.seed_index.unique())]
    assert several, "at least one generation has several members that keep to it"
    assert all(len(one.seed_index) <= 10 * len(given[1]) for one in several)


class _Staged:
    """A goal whose second iteration belongs to another piece: its values are far lower."""

    needs, start_cost, staged = Uncommon.needs, 0, True

    def cost(self, classes: int) -> int:
        return 1

    def prepare(self, subject: object, seeds: object) -> object:
        seen: list[Tensor] = []

        def fitness(x: Tensor, rows: Tensor) -> Tensor:
            seen.append(x)
            return x.flatten(2).mean(dim=2) - 100 * len(seen)

        return fitness


def test_a_change_of_piece_does_not_leave_an_old_champion() -> None:
    given = scene([20, 36])
    found: list[Candidates] = proposals(Guided(Genetic(6, 3), _Staged()), given, Linf(0.2))  # type: ignore[arg-type]
    for one, other in pairwise(found):
        # Elitism keeps the brightest, so each generation is at least as bright: and is what is proposed.
        assert (other.inputs.flatten(1).mean(dim=1) >= one.inputs.flatten(1).mean(dim=1)).all()
    assert not torch.equal(found[0].inputs, found[-1].inputs)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"pattern": "XL"}, r"^pattern must be LL, LH, HL or HH, got 'XL'$"),
        ({"confidence": 1.0}, r"^confidence must be in \(0, 1\), or no input is LL, got 1.0$"),
        ({"pattern": "HH", "uncertainty": 1.5}, r"^uncertainty must be in \(0, 1\), or no input is HH, got 1.5$"),
        ({"masks": 0}, r"^masks must be >= 1, got 0$"),
    ],
)
def test_refuses_what_no_input_can_meet(settings: dict[str, object], problem: str) -> None:
    with pytest.raises(InvalidSetting, match=problem):
        Uncommon(**settings)  # type: ignore[arg-type]
