"""What is asked of every search."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.methods import Search, Space
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.testing.promises import about, promise, promise_json, random_state_stays

__all__ = ["REGIONS", "SHAPES", "check_search"]

REGIONS = ("linf:0.1", "l2:0.4", "l0:0.2")
SHAPES = ((1, 5, 5), (3, 4, 3), (11,))

_IDS = [f"image {number}" for number in range(5)]
_ALL = [0, 1, 2, 3, 4]
# One from the middle, then both ends, then another: rows that are dropped wrongly shift the others in each case.
_DROPS: Mapping[int, tuple[str, ...]] = {0: (), 1: ("image 1",), 2: ("image 0", "image 4"), 4: ("image 3",)}


@dataclass(frozen=True, eq=False)
class _Case:
    search: Search
    region: Space
    centre: Tensor


def check_search(search: Search | str, region: Space | str | None = None) -> None:
    """Raise an AssertionError that says what a search promises and does not keep.

    Parameters
    ----------
    search : Search or str
        With its settings; it must take six steps or more.
    region : Space or str, optional
        Where it searches; in a ball of each norm by default.

    Examples
    --------
    >>> from unnerve.testing.searches import check_search
    >>> check_search("pso:particles=6,iterations=6")
    """
    method: Search = build("search", search)
    for one in REGIONS if region is None else (region,):
        space: Space = build("region", one)
        for shape in SHAPES:
            with about(f"{describe(method)['name']} in {describe(space)['name']} around inputs of shape {shape}"):
                for check in _CHECKS:
                    check(_Case(method, space, Streams(3, _IDS).uniform(0, 0, shape)))
    with about(str(describe(method)["name"])):
        promise_json("search", method)


def _points_lie_inside_the_region(case: _Case) -> None:
    steps, wanted = 0, (5, case.search.width, *case.centre.shape[1:])
    for _, x in _visited(case, _ALL):
        promise(x.shape == wanted, f"points must be (A, P, ...), {wanted}, got {tuple(x.shape)}")
        promise(x.dtype == torch.float32, f"points must be float32, got {x.dtype}")
        for members in x.unbind(dim=1):
            promise(case.region.contains(members, case.centre).all(), "points must lie inside the region")
        steps += 1
    stated = describe(case.search).get("iterations", steps)
    promise(steps == stated, f"it must take as many steps as its iterations, {stated}, but took {steps}")


def _the_same_points_alone_and_in_company(case: _Case) -> None:
    together = _paths(case, _ALL)
    for row, name in enumerate(_IDS):
        (alone,) = _paths(case, [row]).values()
        promise(len(alone) == len(together[name]), "a seed must be searched for as long alone as in company")
        same = all(torch.equal(one, other) for one, other in zip(alone, together[name], strict=True))
        promise(same, "a seed must be shown the same points alone and in company")


def _who_is_dropped_does_not_matter_to_the_others(case: _Case) -> None:
    # Broken seeds leave a batch at any step; the others' points must not move.
    everyone, fewer = _paths(case, _ALL), _paths(case, [4, 2, 0, 1, 3], _DROPS)
    lengths, wanted = [len(fewer[name]) for name in _IDS], [3, 2, len(everyone["image 2"]), 5, 3]
    promise(lengths == wanted, f"seeds must be searched for until they are dropped, {wanted} steps, got {lengths}")
    for name, shown in fewer.items():
        same = all(torch.equal(one, other) for one, other in zip(shown, everyone[name], strict=False))
        promise(same, "a seed must be shown the same points whoever else is dropped")


def _learns_or_draws_anew(case: _Case) -> None:
    for shown in _paths(case, [0, 1]).values():
        promise(all(not torch.equal(one, shown[0]) for one in shown[1:]), "later points must differ from the first")


def _another_stream_gives_other_points(case: _Case) -> None:
    points = [next(case.search.points(case.region, case.centre, Streams(seed, _IDS))).clone() for seed in (0, 1)]
    promise(not torch.equal(*points), "another random seed must give other points")


def _what_it_is_given_is_left_alone(case: _Case) -> None:
    before = case.centre.clone()
    points = case.search.points(case.region, case.centre, Streams(0, _IDS))
    x = next(points)
    for _ in range(3):
        fitness, keep = _height(x), torch.ones(len(x), dtype=torch.bool)
        keep[0] = False
        sent = fitness.clone(), keep.clone()
        x = points.send((fitness, keep))
        promise(torch.equal(fitness, sent[0]), "the fitness it is sent must be left as it was")
        promise(torch.equal(keep, sent[1]), "the mask of who is kept must be left as it was")
    promise(torch.equal(case.centre, before), "the seeds must be left as they were")


def _can_be_ended_early(case: _Case) -> None:
    points = case.search.points(case.region, case.centre, Streams(0, _IDS))
    next(points)
    points.close()


def _the_random_state_is_left_alone(case: _Case) -> None:
    with random_state_stays():
        _paths(case, [0, 1])


_CHECKS = (
    _points_lie_inside_the_region,
    _the_same_points_alone_and_in_company,
    _who_is_dropped_does_not_matter_to_the_others,
    _learns_or_draws_anew,
    _another_stream_gives_other_points,
    _what_it_is_given_is_left_alone,
    _can_be_ended_early,
    _the_random_state_is_left_alone,
)


def _height(x: Tensor) -> Tensor:
    """Return (A, P): how near the farthest value is to 0.7; no sum, so that every bit is the same in company."""
    return -(x - 0.7).abs().flatten(2).amax(dim=2)


def _visited(
    case: _Case, rows: list[int], drops: Mapping[int, tuple[str, ...]] | None = None
) -> Iterator[tuple[list[str], Tensor]]:
    """Yield the names of the seeds still searched for, and their points (A, P, ...), until the search ends."""
    present = [_IDS[row] for row in rows]
    points = case.search.points(case.region, case.centre[rows], Streams(0, present))
    x, step = next(points), 0
    while True:
        yield present, x
        keep = torch.tensor([name not in (drops or {}).get(step, ()) for name in present])
        present = [name for name, stays in zip(present, keep.tolist(), strict=True) if stays]
        try:
            x, step = points.send((_height(x), keep)), step + 1
        except StopIteration:
            return


def _paths(case: _Case, rows: list[int], drops: Mapping[int, tuple[str, ...]] | None = None) -> dict[str, list[Tensor]]:
    """Return all that was shown of each seed."""
    found: dict[str, list[Tensor]] = {}
    for present, x in _visited(case, rows, drops):
        for name, own in zip(present, x.clone(), strict=True):
            found.setdefault(name, []).append(own)
    return found
