"""Verdicts by hand: of hunts that find far more, far less or about the same with coverage."""

from collections.abc import Sequence

from unnerve.papers.deepsensor.experiments.guidance import CRITERIA, EVERYTHING, NOTHING, Guidance
from unnerve.papers.deepsensor.first_errors import FirstErrors
from unnerve.papers.deepsensor.guidance_claims import guidance_claims
from unnerve.papers.deepsensor.setup import Plan, Setup
from unnerve.studies.reproduction import Claim

PLAN = Plan("guidance", Setup("lenet5", "mnist", "lineage:metamorphic", 40, 4))


def hunts(classes: Sequence[tuple[int, ...]], natural: bool) -> tuple[FirstErrors, ...]:
    """Return three hunts that find the same from forty seeds: these classes in turn."""
    found = tuple(classes[place % len(classes)] for place in range(40))
    return (FirstErrors(found, tuple((natural,) * len(some) for some in found)),) * 3


# One class of each seed, nearly always the same, against four of each, all as frequent.
LESS = hunts([(1,), (1,), (1,), (1,), (2,)], natural=False)
MORE = hunts([(1, 2, 3, 4), (5, 6, 7, 8)], natural=True)


def claims(with_coverage: Sequence[tuple[FirstErrors, ...]], without: tuple[FirstErrors, ...]) -> list[Claim]:
    rows = {NOTHING: without, EVERYTHING: without, **dict(zip(CRITERIA, with_coverage, strict=True))}
    return list(guidance_claims(Guidance(PLAN, rows)))


def verdicts(with_coverage: Sequence[tuple[FirstErrors, ...]], without: tuple[FirstErrors, ...]) -> list[str]:
    return [one.verdict for one in claims(with_coverage, without)]


def test_all_criteria_ahead() -> None:
    assert verdicts([MORE] * 5, LESS) == ["held"] * 3


def test_all_criteria_behind() -> None:
    assert verdicts([LESS] * 5, MORE) == ["not held"] * 3


def test_equal_finds_leave_it_open() -> None:
    assert verdicts([LESS] * 5, LESS) == ["cannot be decided"] * 3


def test_most_criteria_ahead() -> None:
    middle = hunts([(1, 2), (3, 4)], natural=False)
    fewer = hunts([(1,), (1,), (1,), (1,), ()], natural=False)
    more, natural, _ = verdicts([MORE, MORE, MORE, MORE, fewer], middle)
    assert more == "partly", "four of five find more, the fifth less"
    assert natural == "cannot be decided", "the fifth is as natural, and so open"


def test_a_figure_that_is_missing_is_open() -> None:
    none = hunts([()], natural=False)
    more, natural, even = claims([none] * 5, LESS)
    assert more.verdict == "not held"
    assert (natural.verdict, even.verdict) == ("cannot be decided", "cannot be decided")
    assert "nc(0.75) -, kmnc -" in natural.ours


def test_what_is_told_by_hand() -> None:
    more, natural, _ = claims([MORE] * 5, LESS)
    assert "nc(0.75) +3.00 (" in more.ours, "four kinds against one"
    assert "without coverage +0.00 (" in more.ours
    assert "tknc +1.00 (" in natural.ours
    assert {one.place for one in (more, natural)} == {"beyond the papers"}
    assert more.paper.startswith("asked by Harel-Canada et al.")
