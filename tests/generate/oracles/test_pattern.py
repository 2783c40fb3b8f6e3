"""The pattern oracle: limits by hand, and masks that nobody has seen."""

import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Observation
from unnerve.core.subject import Subject
from unnerve.generate.oracles.pattern import Pattern
from unnerve.testing.scene import small_data


class Coin:
    """A model that answers 0 with PCS 0.8 for bright inputs, 0.1 for dark ones; draws flip it with chance x[0]."""

    name, offers = "coin", Capability.DROPOUT

    def identity(self, shape: tuple[int, ...]) -> str:
        return "coin"

    def observe(self, x: torch.Tensor, want: object = None) -> Observation:
        bright = x.flatten(1)[:, 1] > 0.5
        first = torch.where(bright, 0.9, 0.55)
        return Observation(torch.stack([first, 1 - first], dim=1).log())

    def samples(self, x: torch.Tensor, masks: Masks) -> torch.Tensor:
        keys = torch.tensor([int(key) % 2**31 for key in masks.row_keys()], dtype=torch.float64)
        chance = x.flatten(1)[:, 0].double()
        flips = [((keys * (masks.start + draw + 1) * 0.6180339887) % 1) < chance for draw in range(masks.draws)]
        return torch.stack([torch.stack([~flip, flip], dim=1).float() for flip in flips])


def given(chances: list[float], bright: list[float]) -> tuple[Subject[Coin], Seeds, Candidates]:
    subject = Subject(Coin())
    batch = small_data().batch([0])
    inputs = torch.zeros(len(chances), 1, 8, 8)
    inputs[:, 0, 0, 0], inputs[:, 0, 0, 1] = torch.tensor(chances), torch.tensor(bright)
    seeds = Seeds(batch, subject.model.observe(batch.inputs))
    return subject, seeds, Candidates(inputs, torch.zeros(len(chances), dtype=torch.int64), 0)


def test_by_hand() -> None:
    subject, seeds, candidates = given([0.1, 0.9, 0.1, 0.9], [1, 1, 0, 0])
    # The label of the seed is 0, and so is every answer: HL wants a wrong one.
    accepted = {name: Pattern(name)(subject, seeds, candidates).accepted.tolist() for name in ("HH", "LL", "LH", "HL")}
    assert accepted == {
        "HH": [False, True, False, False],
        "LL": [False, False, True, False],
        "LH": [False, False, False, True],
        "HL": [False, False, False, False],
    }
    verdict = Pattern("LL")(subject, seeds, candidates)
    assert verdict.evidence["pcs"].tolist() == pytest.approx([0.8, 0.8, 0.1, 0.1])
    assert float(verdict.evidence["vro"][2]) == pytest.approx(0.1, abs=0.1)
    assert verdict.evidence["adversarial"].tolist() == [0, 0, 0, 0]
    draws = float(verdict.evidence["vro_draws"][2])
    share = (float(verdict.evidence["vro"][2]) * draws + 1) / (draws + 2)
    assert float(verdict.evidence["vro_error"][2]) == pytest.approx((share * (1 - share) / (draws + 2)) ** 0.5)


def test_what_lies_at_the_limit_is_not_accepted_and_what_is_clear_takes_few_draws() -> None:
    subject, seeds, candidates = given([0.4, 0.02], [0, 0])
    verdict = Pattern("LL", draws=400)(subject, seeds, candidates)
    assert verdict.accepted.tolist() == [False, True]
    assert verdict.evidence["vro_draws"].tolist()[1] == 40


def test_refuses_settings_out_of_range() -> None:
    with pytest.raises(InvalidSetting, match=r"^error must be in \(0, 0.5\), got 0.5$"):
        Pattern(error=0.5)
    with pytest.raises(InvalidSetting, match=r"^draws must be >= 40, got 10$"):
        Pattern(draws=10)
