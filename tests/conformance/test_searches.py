"""What is asked of every search."""

import json
from collections.abc import Iterator, Mapping

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe
from unnerve.core.methods import Search, Space
from unnerve.core.streams import Streams
from unnerve.testing.texts import texts

IDS = [f"image {number}" for number in range(5)]
DROPS: Mapping[int, tuple[str, ...]] = {0: (), 1: ("image 1",), 2: ("image 0", "image 4"), 4: ("image 3",)}


@pytest.fixture(params=texts("search"))
def search(request: pytest.FixtureRequest) -> Search:
    method: Search = build("search", request.param)
    return method


@pytest.fixture(params=["linf:0.1", "l2:0.4", "l0:0.2"])
def region(request: pytest.FixtureRequest) -> Space:
    space: Space = build("region", request.param)
    return space


@pytest.fixture(params=[(1, 5, 5), (3, 4, 3), (11,)], ids=["grey", "colour", "flat"])
def centre(request: pytest.FixtureRequest) -> Tensor:
    return Streams(3, IDS).uniform(0, 0, request.param)


def height(x: Tensor) -> Tensor:
    """Return (A, P): how near the farthest value is to 0.7; no sum, so that every bit is the same in company."""
    return -(x - 0.7).abs().flatten(2).amax(dim=2)


def visited(
    search: Search, region: Space, centre: Tensor, rows: list[int], drops: Mapping[int, tuple[str, ...]] | None = None
) -> Iterator[tuple[list[str], Tensor]]:
    """Yield the names of the seeds still searched for, and their points (A, P, ...), until the search ends."""
    present = [IDS[row] for row in rows]
    points = search.points(region, centre[rows], Streams(0, present))
    x, step = next(points), 0
    while True:
        yield present, x
        keep = torch.tensor([name not in (drops or {}).get(step, ()) for name in present])
        present = [name for name, stays in zip(present, keep.tolist(), strict=True) if stays]
        try:
            x, step = points.send((height(x), keep)), step + 1
        except StopIteration:
            return


def paths(
    search: Search, region: Space, centre: Tensor, rows: list[int], drops: Mapping[int, tuple[str, ...]] | None = None
) -> dict[str, list[Tensor]]:
    """Return all that was shown of each seed."""
    found: dict[str, list[Tensor]] = {}
    for present, x in visited(search, region, centre, rows, drops):
        for name, own in zip(present, x.clone(), strict=True):
            found.setdefault(name, []).append(own)
    return found


def test_points_lie_inside_the_region(search: Search, region: Space, centre: Tensor) -> None:
    steps = 0
    for _, x in visited(search, region, centre, [0, 1, 2, 3, 4]):
        assert x.shape == (5, search.width, *centre.shape[1:])
        assert x.dtype == torch.float32
        for members in x.unbind(dim=1):
            assert bool(region.contains(members, centre).all())
        steps += 1
    assert steps == describe(search)["iterations"]


def test_the_same_points_alone_and_in_company(search: Search, region: Space, centre: Tensor) -> None:
    together = paths(search, region, centre, [0, 1, 2, 3, 4])
    for row, name in enumerate(IDS):
        (alone,) = paths(search, region, centre, [row]).values()
        assert len(alone) == len(together[name])
        assert all(torch.equal(one, other) for one, other in zip(alone, together[name], strict=True))


def test_who_is_dropped_does_not_matter_to_the_others(search: Search, region: Space, centre: Tensor) -> None:
    everyone = paths(search, region, centre, [0, 1, 2, 3, 4])
    fewer = paths(search, region, centre, [4, 2, 0, 1, 3], DROPS)
    assert [len(fewer[name]) for name in IDS] == [3, 2, 6, 5, 3]
    for name, shown in fewer.items():
        assert all(torch.equal(one, other) for one, other in zip(shown, everyone[name], strict=False))


def test_a_search_learns_or_draws_anew(search: Search, region: Space, centre: Tensor) -> None:
    for shown in paths(search, region, centre, [0, 1]).values():
        assert all(not torch.equal(one, shown[0]) for one in shown[1:])


def test_another_stream_gives_other_points(search: Search, region: Space, centre: Tensor) -> None:
    points = [next(search.points(region, centre, Streams(seed, IDS))).clone() for seed in (0, 1)]
    assert not torch.equal(*points)


def test_what_it_is_given_is_left_alone(search: Search, region: Space, centre: Tensor) -> None:
    before = centre.clone()
    points = search.points(region, centre, Streams(0, IDS))
    x = next(points)
    for _ in range(3):
        fitness, keep = height(x), torch.ones(len(x), dtype=torch.bool)
        keep[0] = False
        sent = fitness.clone(), keep.clone()
        x = points.send((fitness, keep))
        assert torch.equal(fitness, sent[0])
        assert torch.equal(keep, sent[1])
    assert torch.equal(centre, before)


def test_can_be_ended_early(search: Search, region: Space, centre: Tensor) -> None:
    points = search.points(region, centre, Streams(0, IDS))
    next(points)
    points.close()


@pytest.mark.usefixtures("random_state_stays")
def test_the_global_random_state_is_left_alone(search: Search, region: Space, centre: Tensor) -> None:
    paths(search, region, centre, [0, 1])


def test_survives_json(search: Search) -> None:
    assert build("search", json.loads(json.dumps(describe(search)))) == search
