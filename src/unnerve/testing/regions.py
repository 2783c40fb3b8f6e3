"""What is asked of every region."""

import torch
from torch import Tensor

from unnerve.core.fitting import steepest_step
from unnerve.core.methods import Normed, Space
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.testing.promises import about, promise, promise_json, random_state_stays

__all__ = ["SHAPES", "check_region"]

SHAPES = ((1, 6, 6), (3, 5, 4), (12,))
"""Grey and colour images, and sound."""

_IDS = [f"image {number}" for number in range(5)]


def check_region(region: Space | str, shape: tuple[int, ...] | None = None) -> None:
    """Raise an AssertionError that says what a region promises and does not keep.

    Parameters
    ----------
    region : Space or str
        With its settings; it must be small enough that points three standard deviations away lie outside.
    shape : tuple of int, optional
        Of the inputs; images and sound, one after the other, by default.

    Examples
    --------
    >>> from unnerve.testing.regions import check_region
    >>> check_region("linf:0.1")
    """
    space: Space = build("region", region)
    for one in SHAPES if shape is None else (shape,):
        with about(f"{describe(space)['name']} around inputs of shape {one}"):
            for check in _CHECKS:
                check(space, Streams(3, _IDS).uniform(0, 0, one))
    with about(str(describe(space)["name"])):
        promise_json("region", space)


def _projects_in_place_and_inside(region: Space, centre: Tensor) -> None:
    far = _far(centre)
    promise(not region.contains(far, centre).any(), "points far away must not be contained")
    promise(region.project(far, centre) is far, "project must change its argument in place and return it")
    promise(region.contains(far, centre).all(), "projected points must be contained")
    promise((far != centre).any(), "projected points must not all be the seed")


def _rows_do_not_know_each_other(region: Space, centre: Tensor) -> None:
    far = _far(centre)
    alone = [region.project(far[row : row + 1].clone(), centre[row : row + 1]) for row in range(5)]
    mixed = torch.cat([far[:2], centre[2:]])
    inside = region.contains(mixed, centre).tolist()
    promise(inside == [False, False, True, True, True], f"contains must judge each row by itself, got {inside}")
    promise(torch.equal(torch.cat(alone), region.project(far, centre)), "project must give the same row by row")


def _samples_are_inside_and_differ(region: Space, centre: Tensor) -> None:
    samples = region.samples(centre, Streams(0, _IDS), 0, 4)
    promise(samples.shape == (5, 4, *centre.shape[1:]), f"samples must be (N, count, ...), got {tuple(samples.shape)}")
    for sample in samples.unbind(dim=1):
        promise(region.contains(sample, centre).all(), "samples must be contained")
        promise((sample != centre).flatten(1).any(dim=1).all(), "samples must differ from the seed")
    promise(len(samples.flatten(0, 1).unique(dim=0)) == 20, "samples must differ from each other")


def _samples_are_the_same_alone_and_in_company(region: Space, centre: Tensor) -> None:
    for count in (1, 3):
        together = region.samples(centre, Streams(0, _IDS), 2, count)
        for row, name in enumerate(_IDS):
            alone = region.samples(centre[row : row + 1], Streams(0, [name]), 2, count)
            promise(torch.equal(alone[0], together[row]), "samples must be the same alone and in company")
        later = region.samples(centre, Streams(0, _IDS), 3, count)
        promise(not torch.equal(later, together), "samples of another step must be others")


def _projects_populations_like_their_members(region: Space, centre: Tensor) -> None:
    x = Streams(4, _IDS).normal(0, 1, (3, *centre.shape[1:])).mul_(3)
    members = [region.project(member.clone(), centre) for member in x.unbind(dim=1)]
    promise(region.project(x, centre) is x, "project must change populations (N, P, ...) in place and return them")
    promise(torch.equal(x, torch.stack(members, dim=1)), "project must treat a population like its members")


def _a_ball_reaches_as_far_as_it_says(region: Space, centre: Tensor) -> None:
    if not isinstance(region, Normed):
        return
    # Away from the ends of the valid range: a step that leads out of that would lie outside for another reason.
    gradient, inner = _far(centre), torch.full_like(centre, 0.4)
    step = steepest_step(region, gradient, inner)
    promise(step.shape == gradient.shape, "steepest must return a step of the gradient's shape")
    rim = region.contains(inner + region.reach * step, inner)
    promise(rim.all(), "a step of length one, times reach, must lead no farther than the rim")
    beyond = region.contains(inner + 1.01 * region.reach * step, inner)
    promise(not beyond.any(), "a step of length one, times 1.01 reach, must lead beyond the rim")
    low, high = region.limits(centre)
    samples = region.samples(centre, Streams(0, _IDS), 0, 1).squeeze(1)
    within = (samples >= low) & (samples <= high)
    promise(within.all(), "every coordinate of a sample must lie within the limits")
    promise(((step * gradient).flatten(1).sum(dim=1) > 0).all(), "the steepest step must climb")


def _leaves_the_seed_and_the_random_state(region: Space, centre: Tensor) -> None:
    before, far = centre.clone(), _far(centre)
    with random_state_stays():
        region.project(far, centre)
        region.contains(far, centre)
        # Samples that are views of the seed would change it.
        region.samples(centre, Streams(0, _IDS), 0, 1).fill_(0.5)
    promise(torch.equal(centre, before), "the seed must be left as it was")


_CHECKS = (
    _projects_in_place_and_inside,
    _rows_do_not_know_each_other,
    _samples_are_inside_and_differ,
    _samples_are_the_same_alone_and_in_company,
    _projects_populations_like_their_members,
    _a_ball_reaches_as_far_as_it_says,
    _leaves_the_seed_and_the_random_state,
)


def _far(centre: Tensor) -> Tensor:
    return Streams(4, _IDS).normal(0, 0, tuple(centre.shape[1:])).mul_(3)
