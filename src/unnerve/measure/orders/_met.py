"""What each input of a data set covers, collected pass by pass."""

from typing import Protocol, runtime_checkable

import numpy as np

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Coverage
from unnerve.core.model import Observation
from unnerve.core.naming.catalogue import describe
from unnerve.core.neurons import NeuronMap
from unnerve.core.profiles import Profile

__all__ = ["Met"]


@runtime_checkable
class _Telling(Protocol):
    """A criterion that says which obligations each input meets."""

    def met(self, state: object, seen: Observation) -> tuple[np.ndarray, np.ndarray]: ...


class Met:
    """Obligations that each input meets, whatever others do.

    Parameters
    ----------
    criterion : Coverage
        One that counts obligations: nc, kmnc, nbc, snac, tknc, bknc.
    neurons : NeuronMap
    profile : Profile or None
        Where the criterion needs one.
    """

    def __init__(self, criterion: Coverage, neurons: NeuronMap, profile: Profile | None) -> None:
        if not isinstance(criterion, _Telling):
            raise InvalidSetting(f"{describe(criterion)['name']} does not say what each input covers")
        self.criterion, self.state = criterion, criterion.begin(neurons, profile)
        self.rows: list[np.ndarray] = []
        self.obligations: list[np.ndarray] = []
        self.count = 0

    def add(self, seen: Observation) -> None:
        """Take in what one pass over N inputs showed."""
        assert isinstance(self.criterion, _Telling)
        rows, obligations = self.criterion.met(self.state, seen)
        self.rows.append(rows + self.count)
        self.obligations.append(obligations)
        self.count += len(seen.logits)

    def by_input(self) -> list[np.ndarray]:
        """Return the obligations of each input, int64, each once."""
        rows, obligations = np.concatenate(self.rows), np.concatenate(self.obligations)
        order = np.argsort(rows, kind="stable")
        ends = np.searchsorted(rows[order], np.arange(1, self.count))
        return [np.unique(part) for part in np.split(obligations[order], ends)]
