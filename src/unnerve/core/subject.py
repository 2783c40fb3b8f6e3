"""A subject: the model under test and what belongs to it."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from unnerve.core.model import Classifier
from unnerve.core.reference import Reference

__all__ = ["Subject"]

M_co = TypeVar("M_co", bound=Classifier, covariant=True)


@dataclass(frozen=True, eq=False)
class Subject(Generic[M_co]):
    """What a method works on.

    Parameters
    ----------
    model : Classifier
        The model under test.
    peers : tuple of Classifier
        Models for the same task, for methods that look for disagreement.
    reference : Reference or None
        What the model's neurons usually do, for methods that compare with it.
    """

    model: M_co
    peers: tuple[Classifier, ...] = ()
    reference: Reference | None = None
