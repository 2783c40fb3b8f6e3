"""What a generation proposes if its fitness says which members show what is looked for."""

import torch

from unnerve.generate.guided._met import MetMembers

POPULATIONS = torch.arange(6.0).view(2, 3, 1)
VALUES = torch.tensor([[0.1, 0.3, 0.2], [0.5, 0.4, 0.6]])


def proposed(members: MetMembers, met: list[list[bool]], rows: tuple[int, ...] = (0, 1)) -> list[tuple[float, int]]:
    found = members.proposed(POPULATIONS, VALUES, torch.tensor(met), torch.tensor(rows), 7)
    assert found.step == 7
    return list(zip(found.inputs.flatten().tolist(), found.seed_index.tolist(), strict=True))


def test_members_that_meet_it_come_best_first_and_else_the_best() -> None:
    found = proposed(MetMembers(6), [[True, True, False], [False, False, False]], (2, 5))
    assert found == [(1.0, 2), (0.0, 2), (5.0, 5)]


def test_each_is_proposed_once() -> None:
    members = MetMembers(2)
    assert proposed(members, [[False, True, False], [True, True, True]]) == [(1.0, 0), (5.0, 1), (3.0, 1), (4.0, 1)]
    # Of the first seed one is new; of the second none, so that its best stands in.
    assert proposed(members, [[False, True, True], [True, True, True]]) == [(2.0, 0), (5.0, 1)]


def test_at_most_ten_at_a_time() -> None:
    members, many = MetMembers(1), torch.arange(25.0).view(1, 25, 1)
    every = torch.ones(1, 25, dtype=torch.bool)
    rounds = [members.proposed(many, many[..., 0], every, torch.tensor([0]), step).inputs[:, 0] for step in range(4)]
    assert [one.tolist() for one in rounds] == [
        [24.0 - n for n in range(10)],
        [14.0 - n for n in range(10)],
        [4.0, 3.0, 2.0, 1.0, 0.0],
        [24.0],
    ]
