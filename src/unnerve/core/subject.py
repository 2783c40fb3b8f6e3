"""A subject: the model under test, and what methods compare it with."""

from dataclasses import dataclass, field
from typing import Generic, TypeVar

from unnerve.core.model import Classifier
from unnerve.core.profiles import Profile
from unnerve.core.reference import Reference

__all__ = ["Context", "Subject"]

M_co = TypeVar("M_co", bound=Classifier, covariant=True)


@dataclass(frozen=True, eq=False)
class Context:
    """What methods compare a model with; made once by the study, and carried to wherever the model runs.

    Parameters
    ----------
    reference : Reference or None
        What the model's neurons usually do.
    profile : Profile or None
        How far the model's neurons go on training data.
    peers : tuple of Classifier
        Models for the same task, for methods that look for disagreement.
    """

    reference: Reference | None = None
    profile: Profile | None = None
    peers: tuple[Classifier, ...] = ()


@dataclass(frozen=True, eq=False)
class Subject(Generic[M_co]):
    """What a method works on.

    Parameters
    ----------
    model : Classifier
        The model under test.
    context : Context
        What it is compared with.
    """

    model: M_co
    context: Context = field(default_factory=Context)
