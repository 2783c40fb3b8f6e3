import random

import numpy as np
import pytest
import torch

from unnerve.generate.regions.linf import Linf
from unnerve.testing.promises import about, promise, promise_json, random_state_stays, refuses


def test_a_broken_promise_is_told_with_who_made_it() -> None:
    with about("pgd"):
        promise(torch.tensor(True), "fine")
    with pytest.raises(AssertionError, match=r"^pgd in linf: steps must rise$"), about("pgd in linf"):
        promise(torch.tensor(False), "steps must rise")


def fail(words: str) -> None:
    raise ValueError(words)


def test_what_must_be_refused_is() -> None:
    with refuses(ValueError, "must be > 0", "a negative radius"):
        fail("radius must be > 0, got -1")
    with (
        pytest.raises(AssertionError, match=r"^zero must be refused with 'x', but the error is 'y'$"),
        refuses(ValueError, "x", "zero"),
    ):
        fail("y")
    with (
        pytest.raises(AssertionError, match=r"^zero must be refused with ValueError, but nothing was raised$"),
        refuses(ValueError, "x", "zero"),
    ):
        pass


def test_every_global_generator_is_watched() -> None:
    with random_state_stays():
        torch.Generator().seed()
    with pytest.raises(AssertionError, match="of torch must"), random_state_stays():
        torch.rand(1)
    with pytest.raises(AssertionError, match="of numpy must"), random_state_stays():
        np.random.rand()  # noqa: NPY002
    with pytest.raises(AssertionError, match="of Python must"), random_state_stays():
        random.random()  # noqa: S311


def test_a_method_survives_json() -> None:
    promise_json("region", Linf(0.1))
