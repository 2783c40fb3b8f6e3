"""Gradient steps towards patterns: surrogates by hand, aims, and inputs that the oracle proves."""

import math

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.judge import judge
from unnerve.core.model import Observation
from unnerve.core.patterns import PatternLimits
from unnerve.core.subject import Subject
from unnerve.generate.attacks.uncommon_ascent import UncommonAscent, _confidence, _steadiness
from unnerve.generate.oracles.pattern import Pattern
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.snr import SNR
from unnerve.testing.scene import proposals, scene, tiny_model


def test_the_surrogate_of_confidence_by_hand() -> None:
    seen = Observation(torch.tensor([[2.0, 0.0, -math.inf], [0.2, 0.0, -math.inf]]))
    aim = torch.tensor([0, 0])
    # Of two classes PCS is tanh of half the lead; the aim is halfway between the limit and 1, or 0.
    sure = 2 * math.atanh(0.85)
    assert _confidence(PatternLimits("HL"), 0.5)(seen, aim).tolist() == pytest.approx([sure - 2, sure - 0.2], abs=1e-6)
    unsure = 2 * math.atanh(0.15)
    assert _confidence(PatternLimits("LL"), 0.5)(seen, aim).tolist() == pytest.approx([2 - unsure, 0], abs=1e-6)


def test_an_unsure_answer_must_still_be_the_one_aimed_at() -> None:
    seen = Observation(torch.tensor([[0.0, 0.5]]))
    assert float(_confidence(PatternLimits("LH"), 0.5)(seen, torch.tensor([0]))) > 0.5


def test_the_surrogate_of_steadiness_by_hand() -> None:
    seen = Observation(torch.tensor([[1.5, 0.0], [0.0, 1.5]]))
    aim = torch.tensor([0, 0])
    assert _steadiness(PatternLimits("HL"))(seen, aim).tolist() == pytest.approx([0, 2 / 3])
    assert _steadiness(PatternLimits("HH"))(seen, aim).tolist() == pytest.approx([2 / 3, 0])


def test_which_answers_are_aimed_at() -> None:
    _, seeds, _ = scene([20, 36])
    right = seeds.expected
    wrong = seeds.clean.logits.scatter(1, right.unsqueeze(1), -math.inf).argmax(dim=1)
    assert all(UncommonAscent("LH")._aims(seeds, start).equal(right) for start in range(3))
    assert UncommonAscent("HL")._aims(seeds, 0).equal(wrong)
    assert UncommonAscent("LL")._aims(seeds, 0).equal(right)
    assert UncommonAscent("LL")._aims(seeds, 1).equal(wrong)


@pytest.mark.parametrize(
    ("pattern", "p", "v"), [("LL", 0.3, 0.6), ("HH", 0.3, 0.15), ("LH", 0.3, 0.4), ("HL", 0.5, 0.5)]
)
def test_finds_what_it_looks_for(pattern: str, p: float, v: float) -> None:
    given = scene([20, 36, 3, 8])
    region, goal = Linf(0.3), Pattern(pattern, p, v, draws=200)
    hunter = UncommonAscent(pattern, p, v, steps=20, starts=2)
    found = {
        finding.seed_id
        for one in proposals(hunter, given, region)[19::20]
        for _, finding in judge(Subject(tiny_model()), given[1], one, goal, region)
    }
    assert len(found) >= 2, found


def test_where_the_size_follows_the_seed_steps_do_as_well() -> None:
    given, region = scene([20, 36, 3, 8]), SNR(10)
    centre = given[1].batch.inputs
    furthest = torch.zeros(4)
    for one in proposals(UncommonAscent("HL", steps=20, starts=1), given, region):
        furthest[one.seed_index] = furthest[one.seed_index].maximum(
            (one.inputs - centre[one.seed_index]).flatten(1).norm(dim=1)
        )
    assert bool((furthest > 0.8 * region.reach * region.scale(centre).flatten()).all()), furthest


def test_what_a_step_costs() -> None:
    assert UncommonAscent(masks=8).step_cost(10) == 18
    assert UncommonAscent(masks=8).width == 9


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^pattern must be LL, LH, HL or HH, got 'X'$"):
        UncommonAscent("X")
    with pytest.raises(InvalidSetting, match=r"^starts must be >= 1, got 0$"):
        UncommonAscent(starts=0)
