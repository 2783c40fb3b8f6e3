"""Criteria of coverage by name."""

from collections.abc import Mapping, Sequence
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Coverage
from unnerve.core.naming.catalogue import build, describe, names
from unnerve.core.naming.specification import several

__all__ = ["criteria_named"]


def criteria_named(asked: str | Sequence[str | Coverage], *, profiled: bool = True) -> dict[str, Coverage]:
    """Return criteria by name; those of which there are several, by name and settings.

    Parameters
    ----------
    asked : str, or sequence of str or Coverage
    profiled : bool
        Whether there is a profile of training data; of ``all`` without one, those are left out that need it.
    """
    texts = names("coverage") if asked == "all" else several(asked) if asked else []
    criteria: list[Coverage] = [build("coverage", one) for one in texts]
    if not criteria:
        raise InvalidSetting("criteria must name at least one")
    # Only of all: whoever names a criterion that needs a profile is told so, instead of being given less.
    if asked == "all" and not profiled:
        criteria = [one for one in criteria if not one.profiled]
    own = [describe(criterion) for criterion in criteria]
    doubled = {one["name"] for one in own if sum(other["name"] == one["name"] for other in own) > 1}
    return {_key(one, one["name"] in doubled): criterion for one, criterion in zip(own, criteria, strict=True)}


def _key(description: Mapping[str, Any], full: bool) -> str:
    name, *settings = description.items()
    words = ",".join(f"{key}={value}" for key, value in settings)
    return f"{name[1]}:{words}" if full and words else str(name[1])
