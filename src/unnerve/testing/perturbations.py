"""What is asked of every perturbation."""

import torch
from torch import Tensor

from unnerve.core.errors import InvalidData
from unnerve.core.methods import Perturbation
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.streams import Streams
from unnerve.testing.promises import about, promise, promise_json, random_state_stays, refuses

__all__ = ["SHAPES", "check_perturbation"]

SHAPES = ((1, 8, 8), (3, 9, 7))
"""Grey and colour images."""

_IDS = [f"image {number}" for number in range(5)]
_ALL = [0, 1, 2, 3, 4]


def check_perturbation(perturbation: Perturbation | str, shape: tuple[int, ...] | None = None) -> None:
    """Raise an AssertionError that says what a perturbation promises and does not keep.

    Parameters
    ----------
    perturbation : Perturbation or str
        With its settings.
    shape : tuple of int, optional
        Of the inputs; grey and colour images, one after the other, by default.

    Examples
    --------
    >>> from unnerve.testing.perturbations import check_perturbation
    >>> check_perturbation("patch:size=3")
    """
    method: Perturbation = build("perturbation", perturbation)
    for one in SHAPES if shape is None else (shape,):
        if not getattr(method, "fits", lambda shape: True)(one):
            with refuses(InvalidData, "takes? (images|waveforms)", "inputs that it says it does not fit"):
                method.apply(Streams(3, _IDS).uniform(0, 0, one), method.draw(Streams(3, _IDS), 0, 1, one))
            continue
        with about(f"{describe(method)['name']} of inputs of shape {one}"):
            for check in _CHECKS:
                check(method, Streams(3, _IDS).uniform(0, 0, one))
    with about(str(describe(method)["name"])):
        promise_json("perturbation", method)


def _parameters_lie_in_the_unit_cube(perturbation: Perturbation, images: Tensor) -> None:
    shape = tuple(images.shape[1:])
    parameters = perturbation.draw(Streams(0, _IDS), 0, 400, shape)
    wanted = (5, 400, perturbation.dimensions(shape))
    promise(parameters.shape == wanted, f"draw must return (N, count, K), {wanted}, got {tuple(parameters.shape)}")
    promise(((parameters >= 0) & (parameters < 1)).all(), "drawn parameters must lie in [0, 1)")


def _copies_are_like_their_inputs_changed_and_valid(perturbation: Perturbation, images: Tensor) -> None:
    made = _copies(perturbation, images, _ALL, 40)
    promise(made.shape == (5, 40, *images.shape[1:]), f"apply must return (N, M, ...), got {tuple(made.shape)}")
    promise(made.dtype == images.dtype, f"copies must have the inputs' type, got {made.dtype}")
    promise(((made >= 0) & (made <= 1)).all(), "copies must lie in [0, 1]")
    changed = (made != images.unsqueeze(1)).flatten(2).any(dim=2).float().mean()
    promise(changed > 0.9, "nine copies of ten must differ from their input")


def _the_same_alone_and_in_company(perturbation: Perturbation, images: Tensor) -> None:
    for count in (1, 6):
        together = _copies(perturbation, images, _ALL, count)
        for row in _ALL:
            alone = _copies(perturbation, images, [row], count)[0]
            promise(torch.equal(alone, together[row]), "copies must be the same alone and in company")
        pair = _copies(perturbation, images, [3, 1], count)
        promise(torch.equal(pair, together[[3, 1]]), "copies must not depend on the order of the inputs")


def _steps_differ(perturbation: Perturbation, images: Tensor) -> None:
    first, later = (_copies(perturbation, images, [0], 5, step) for step in (0, 1))
    promise(not torch.equal(first, later), "another step must draw other parameters")


def _inputs_and_parameters_are_left_alone(perturbation: Perturbation, images: Tensor) -> None:
    for count in (1, 3):
        parameters = perturbation.draw(Streams(0, _IDS), 0, count, tuple(images.shape[1:]))
        before = images.clone(), parameters.clone()
        # Copies that share memory with their input would show by this.
        perturbation.apply(images, parameters).zero_()
        promise(torch.equal(images, before[0]), "apply must leave the inputs as they were")
        promise(torch.equal(parameters, before[1]), "apply must leave the parameters as they were")


def _the_corners_of_the_cube_work(perturbation: Perturbation, images: Tensor) -> None:
    # The largest float32 below 1: floor(p * n) must not become n.
    for corner in (0.0, 1 - 2**-24):
        parameters = torch.full_like(perturbation.draw(Streams(0, _IDS), 0, 2, tuple(images.shape[1:])), corner)
        made = perturbation.apply(images, parameters)
        promise(((made >= 0) & (made <= 1)).all(), f"parameters of {corner} must give copies in [0, 1]")


def _the_random_state_is_left_alone(perturbation: Perturbation, images: Tensor) -> None:
    with random_state_stays():
        _copies(perturbation, images, [0, 1], 3)


_CHECKS = (
    _parameters_lie_in_the_unit_cube,
    _copies_are_like_their_inputs_changed_and_valid,
    _the_same_alone_and_in_company,
    _steps_differ,
    _inputs_and_parameters_are_left_alone,
    _the_corners_of_the_cube_work,
    _the_random_state_is_left_alone,
)


def _copies(perturbation: Perturbation, images: Tensor, rows: list[int], count: int, step: int = 0) -> Tensor:
    streams = Streams(0, [_IDS[row] for row in rows])
    return perturbation.apply(images[rows], perturbation.draw(streams, step, count, tuple(images.shape[1:])))
