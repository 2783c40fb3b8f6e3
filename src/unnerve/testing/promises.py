"""How a broken promise is told: one sentence that names the method and what was promised of it."""

import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import torch

from unnerve.core.naming.catalogue import build, describe

__all__ = ["about", "promise", "promise_json", "random_state_stays", "refuses"]


def promise(kept: object, words: str) -> None:
    """Raise an AssertionError with the promise in words unless it is kept."""
    if not bool(kept):
        raise AssertionError(words)


@contextmanager
def about(who: str) -> Iterator[None]:
    """Put the name of what is checked in front of a broken promise."""
    try:
        yield
    except AssertionError as problem:
        raise AssertionError(f"{who}: {problem}") from problem


@contextmanager
def refuses(error: type[Exception], words: str, when: str) -> Iterator[None]:
    """Promise that the block raises an error whose message has these words, a regular expression."""
    try:
        yield
    except error as problem:
        promise(re.search(words, str(problem)), f"{when} must be refused with '{words}', but the error is '{problem}'")
    else:
        raise AssertionError(f"{when} must be refused with {error.__name__}, but nothing was raised")


@contextmanager
def random_state_stays() -> Iterator[None]:
    """Promise that the block leaves the global random state of torch, numpy and Python as it was."""
    # All three, because a method of a user's own may draw from any of them.
    before = torch.get_rng_state(), _numpy_state(), random.getstate()
    yield
    promise(torch.equal(before[0], torch.get_rng_state()), "the global random state of torch must be left alone")
    promise(before[1] == _numpy_state(), "the global random state of numpy must be left alone")
    promise(before[2] == random.getstate(), "the global random state of Python must be left alone")


def promise_json(kind: str, method: object) -> None:
    """Promise that a method can be stored and built again."""
    # Plans are stored so, and a worker builds from them what it runs.
    again = build(kind, json.loads(json.dumps(describe(method))))
    promise(again == method, f"describe -> JSON -> build must give an equal {kind}, got {again}")


def _numpy_state() -> str:
    return str(np.random.get_state(legacy=False))  # noqa: NPY002 - the global state is what we look at
