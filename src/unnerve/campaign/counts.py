"""How much was found: numbers that can be added, for displays, summaries and engines."""

import operator
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Counts"]


class Hunted(Protocol):
    """What is known of a seed after a hunt."""

    @property
    def queries(self) -> int: ...
    @property
    def failing(self) -> int: ...
    @property
    def failed(self) -> str | None: ...
    @property
    def doubted(self) -> int: ...


@dataclass(frozen=True)
class Counts:
    """What was found from some seeds; ``+`` joins disjoint sets of seeds.

    Parameters
    ----------
    inputs : int
        Seeds that were hunted.
    errors : int
        Distinct failing inputs.
    error_categories : int
        Distinct wrong classes per seed, summed.
    seeds_broken : int
        Seeds with at least one error.
    errors_as_in_paper : int
        Failing picks, repeated or not.
    queries : int
    failed : int
        Seeds that could not be hunted; not among ``inputs``.
    doubted : int
        Inputs that failed once and not every time they were run again; not among ``errors``.
    """

    inputs: int = 0
    errors: int = 0
    error_categories: int = 0
    seeds_broken: int = 0
    errors_as_in_paper: int = 0
    queries: int = 0
    failed: int = 0
    doubted: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(*map(operator.add, vars(self).values(), vars(other).values()))

    @classmethod
    def total(cls, parts: Iterable["Counts"]) -> "Counts":
        """Add up any number of counts."""
        return sum(parts, cls())

    @classmethod
    def of(cls, seeds: Collection[Hunted], errors: int, categories: int, broken: int) -> "Counts":
        """Count what was found from some seeds; errors, categories and broken seeds are those of the hunted ones."""
        # A seed on which the model raised says nothing about its robustness.
        hunted = [seed for seed in seeds if seed.failed is None]
        return cls(
            inputs=len(hunted),
            errors=errors,
            error_categories=categories,
            seeds_broken=broken,
            errors_as_in_paper=sum(seed.failing for seed in hunted),
            queries=sum(seed.queries for seed in hunted),
            failed=len(seeds) - len(hunted),
            doubted=sum(seed.doubted for seed in hunted),
        )
