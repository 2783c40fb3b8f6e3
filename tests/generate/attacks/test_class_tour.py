from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.class_tour import ClassTour
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule

Proposals = Callable[..., list[Candidates]]
Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
CORNERS = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]


@pytest.fixture
def corners(scene: Scenes) -> tuple[Subject[Metered], Seeds, Streams]:
    """Return one seed at the origin of a plane whose four classes lie around it: class 0 there, 1, 2, 3 further out."""
    dense = nn.Linear(64, 4)
    with torch.no_grad():
        dense.weight.zero_()
        dense.weight[:, :2] = torch.tensor(CORNERS)
        dense.bias.copy_(torch.tensor([0.1, 0.0, -0.05, -0.2]))
    made = scene(range(1), TorchModule(nn.Sequential(nn.Flatten(), dense), "corners"))
    made[1].batch.inputs.zero_()
    seen = made[0].model.of(torch.arange(1)).observe(made[1].batch.inputs)
    return made[0], Seeds(made[1].batch, seen), made[2]


def visited(made: tuple[Subject[Metered], Seeds, Streams], proposed: list[Candidates]) -> list[int]:
    return [int(made[0].model.model.observe(one.inputs).predicted[0]) for one in proposed]


def test_visits_the_classes_in_the_order_of_their_nearness(
    corners: tuple[Subject[Metered], Seeds, Streams], proposals: Proposals
) -> None:
    corners[1].batch.labels.fill_(0)  # type: ignore[union-attr]
    answers = visited(
        corners,
        proposals(ClassTour(steps=12, step=0.3, momentum=0, random_start=False), corners, Linf(0.5, low=-1, high=1)),
    )
    assert list(dict.fromkeys(answer for answer in answers if answer != 0)) == [1, 2, 3]


def test_the_first_step_by_hand(corners: tuple[Subject[Metered], Seeds, Streams], proposals: Proposals) -> None:
    # From class 0 (logits 0.1, 0, -0.05, -0.2) it aims at 1: climb z1 - z0, whose gradient is (1, 0).
    corners[1].batch.labels.fill_(0)  # type: ignore[union-attr]
    first = proposals(ClassTour(steps=1, step=0.4, away=0.0, random_start=False), corners, Linf(0.5, low=-1, high=1))[
        0
    ].inputs.flatten()
    assert first[:2].tolist() == pytest.approx([0.2, 0.0])
    straight = proposals(ClassTour(steps=1, step=0.4, away=0.0, random_start=False), corners, L2(0.5, low=-1, high=1))[
        0
    ].inputs.flatten()
    assert straight[:2].tolist() == pytest.approx([0.2, 0.0])


def test_gives_a_class_up_that_cannot_be_reached(
    corners: tuple[Subject[Metered], Seeds, Streams], proposals: Proposals
) -> None:
    # Class 1 is out of reach here (z1 never exceeds z0 by enough), class 2 is not.
    model = corners[0].model.model
    assert isinstance(model, TorchModule)
    with torch.no_grad():
        model.module[1].bias.copy_(torch.tensor([0.1, 0.0, -0.05, -9.0]))  # type: ignore[index]
        model.module[1].weight[1, 0] = 0.01  # type: ignore[index]
    corners[1].batch.labels.fill_(0)  # type: ignore[union-attr]
    patient = proposals(
        ClassTour(steps=20, step=0.3, patience=30, momentum=0, random_start=False), corners, Linf(0.5, low=-1, high=1)
    )
    hasty = proposals(
        ClassTour(steps=20, step=0.3, patience=3, momentum=0, random_start=False), corners, Linf(0.5, low=-1, high=1)
    )
    assert 2 not in visited(corners, patient)
    assert 2 in visited(corners, hasty)


def test_with_a_target_it_goes_for_nothing_else(duel: Any) -> None:
    target = (duel.labels + 3) % 10
    found = duel.ours(ClassTour(steps=40), Linf(0.4), target)
    assert float(duel.flipped(found, target).float().mean()) > 0.9


def test_finds_more_kinds_than_pgd_and_breaks_as_many(duel: Any) -> None:
    def kinds(hunter: PGD | ClassTour) -> tuple[int, int]:
        reached = torch.zeros(64, 10, dtype=torch.bool)
        for one in duel.proposals(hunter, duel.scene(), Linf(0.3)):
            reached[one.seed_index, duel.net(one.inputs).argmax(dim=1)] = True
        reached[torch.arange(64), duel.labels] = False
        return int(reached.sum()), int(reached.any(dim=1).sum())

    tour, pgd = kinds(ClassTour(steps=40)), kinds(PGD(steps=40))
    assert tour[0] > 2 * pgd[0]
    assert tour[1] >= 0.9 * pgd[1]


def test_unwanted_seeds_cost_no_gradients(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    wanted = [[1, 1, 1], [1, 0, 1], [1, 0, 1]]
    proposed = proposals(ClassTour(steps=3), made, Linf(0.1), lambda step: torch.tensor(wanted[step], dtype=torch.bool))
    everyone = proposals(ClassTour(steps=3), scene(range(3)), Linf(0.1))
    assert [one.seed_index.tolist() for one in proposed] == [[0, 1, 2], [0, 1, 2], [0, 2]]
    assert made[0].model.meter.spent.tolist() == [1 + 2 * 3, 1 + 2 * 2, 1 + 2 * 3]
    assert all(
        torch.equal(one.inputs, full.inputs[one.seed_index]) for one, full in zip(proposed, everyone, strict=True)
    )


@pytest.mark.parametrize(
    ("setting", "value"), [("steps", 0), ("patience", 0), ("step", 0.0), ("momentum", 1.0), ("away", -0.1)]
)
def test_settings_have_rules(setting: str, value: float) -> None:
    with pytest.raises(InvalidSetting, match=f"{setting} must be .*, got {value}"):
        ClassTour(**{setting: value})  # type: ignore[arg-type]


def test_needs_a_norm(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(InvalidSetting, match="class_tour works in linf or l2, got l0"):
        proposals(ClassTour(), scene(range(2)), L0(0.1))
