"""What a hunt starts from, proposes and proves: seeds, candidates, verdicts, findings."""

import hashlib
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.model import Classifier, Observation

__all__ = ["Candidates", "Finding", "Seeds", "Verdict", "finding_id"]


@dataclass(frozen=True, eq=False)
class Seeds:
    """The inputs a hunt starts from, with what the model says of them.

    Parameters
    ----------
    batch : Batch
        N inputs with ids, labels or none.
    clean : Observation
        The model's answer to them, made once.
    target : int64 Tensor of shape (N,), or None
        The class each shall be turned into; any wrong one will do if None.
    """

    batch: Batch
    clean: Observation
    target: Tensor | None = None

    @classmethod
    def observed(cls, model: Classifier, batch: Batch) -> "Seeds":
        """Ask the model once about every seed."""
        return cls(batch, model.observe(batch.inputs))

    def __len__(self) -> int:
        return len(self.batch)

    @property
    def span(self) -> float:
        """The width of the range of their values: what is a length of 1 to methods that know values in [0, 1]."""
        low, high = self.batch.value_range
        return high - low

    @property
    def expected(self) -> Tensor:
        """The right answers, int64 (N,): labels, or the model's clean answers where there are none."""
        # Without labels nobody knows what is right; that the answer stays the same is the weaker thing that can be
        # asked.
        return self.clean.predicted if self.batch.labels is None else self.batch.labels


@dataclass(frozen=True, eq=False)
class Candidates:
    """Inputs proposed by a hunter; the tensors are borrowed until its next step.

    Parameters
    ----------
    inputs : Tensor of shape (K, ...)
    seed_index : int64 Tensor of shape (K,)
        Which seed each belongs to.
    step : int
        The hunter's iteration.
    parameters : Tensor of shape (K, D), or None
        Of the transform of its seed that each candidate is a change of; only a region that measures from the
        transformed seed looks at them.
    """

    inputs: Tensor
    seed_index: Tensor
    step: int
    parameters: Tensor | None = None

    def __len__(self) -> int:
        return len(self.seed_index)


@dataclass(frozen=True, eq=False)
class Verdict:
    """What an oracle says of K candidates.

    Parameters
    ----------
    accepted : bool Tensor of shape (K,)
        Which are errors.
    margin : Tensor of shape (K,)
        How clearly: the distance of the answer from not being one, in logits; negative where not accepted.
    observation : Observation
        The answers that were judged.
    evidence : dict of str to Tensor of shape (K,)
        Further numbers to be stored with a finding.
    """

    accepted: Tensor
    margin: Tensor
    observation: Observation
    evidence: dict[str, Tensor] = field(default_factory=dict)


class Finding(NamedTuple):
    """One proven error; the names are the columns of a stored campaign."""

    id: str
    seed_id: str
    label: int | None
    before: int
    after: int
    confidence_before: float
    confidence_after: float
    l0: int
    l2: float
    linf: float
    step: int
    margin: float
    input: bytes
    shape: tuple[int, ...]
    dtype: str
    parameters: tuple[float, ...] = ()
    evidence: tuple[tuple[str, float], ...] = ()

    def tensor(self) -> Tensor:
        """Return the stored input."""
        return torch.from_numpy(np.frombuffer(self.input, dtype=self.dtype).reshape(self.shape).copy())


def finding_id(seed_id: str, data: bytes) -> str:
    """Return the content hash of a finding, in hexadecimal."""
    # The seed is part of it: the same bytes found from two seeds are two findings, with two distances. The zero byte
    # keeps an id from running into the data.
    hashed = hashlib.blake2b(seed_id.encode() + b"\0", digest_size=16)
    hashed.update(data)
    return hashed.hexdigest()
