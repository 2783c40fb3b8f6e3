"""What a generation proposes if its fitness says which of its members show what is looked for."""

import hashlib

from torch import Tensor

from unnerve.core.findings import Candidates

__all__ = ["MetMembers"]

_MOST = 10
"""Members that are proposed at a time, of each seed: a proof may take many draws, and one that holds is enough."""


class MetMembers:
    """Members that show what is looked for, the best first and each once; of a generation without any, its best.

    What a search sees are few draws, and the best of many members owes its place partly to them: the proof may refuse
    it and take the next one. What was refused once would be refused again.

    Parameters
    ----------
    seeds : int
    """

    def __init__(self, seeds: int) -> None:
        self._known: list[set[bytes]] = [set() for _ in range(seeds)]

    def proposed(self, x: Tensor, values: Tensor, met: Tensor, rows: Tensor, step: int) -> Candidates:
        """Return what to propose of populations (A, P, ...), given their fitness and what they meet, (A, P) each."""
        places: list[int] = []
        members: list[int] = []
        for place, row in enumerate(rows.tolist()):
            order = values[place].argsort(descending=True, stable=True)
            chosen = self._new(x[place], order[met[place, order]].tolist(), row) or order[:1].tolist()
            places += [place] * len(chosen)
            members += chosen
        return Candidates(x[places, members], rows[places], step)

    def _new(self, members: Tensor, met: list[int], row: int) -> list[int]:
        known, chosen = self._known[row], []
        for member in met:
            name = hashlib.blake2b(members[member].cpu().numpy().tobytes(), digest_size=16).digest()
            if name not in known:
                known.add(name)
                chosen.append(member)
                if len(chosen) == _MOST:
                    break
        return chosen
