"""TensorFuzz: noisy copies of a corpus that grows by what makes new logits (Odena et al., ICML 2019)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.model import Capability
from unnerve.core.pools import Pool, PoolState
from unnerve.generate.fuzzers._corpus import Corpus

__all__ = ["TensorFuzz"]

_COLUMNS = ("inputs", "logits", "roots")


@dataclass(frozen=True)
class TensorFuzz:
    """Mutate an entry of the corpus by white noise; keep the mutants whose logits are far from all that were met.

    A step takes one entry, makes ``mutants`` noisy copies, proposes the one that comes nearest to an error, and adds
    those that are new to the corpus.

    Parameters
    ----------
    mutants : int
        Noisy copies per step, >= 1.
    deviation : float
        Standard deviation of the noise, as a share of the valid range, > 0; the release's is 0.1.
    threshold : float
        A mutant is new if the squared distance of its logits from those of every entry is larger, >= 0.
    recent : int
        An entry is chosen among so many of the newest ones and one that is drawn from all, >= 0.

    References
    ----------
    Odena et al., "TensorFuzz: Debugging Neural Networks with Coverage-Guided Fuzzing", 2019.
    """

    mutants: int = 100
    # Differs: the release adds the same number to images in [-1, 1], where it is half this share of the range.
    deviation: float = 0.2
    threshold: float = 1.0
    recent: int = 5
    needs = Capability.ANSWERS
    regions = None
    endless = True
    small = ("mutants=6",)

    def __post_init__(self) -> None:
        if self.mutants < 1:
            raise InvalidSetting(f"mutants must be >= 1, got {self.mutants}")
        if not self.deviation > 0:
            raise InvalidSetting(f"deviation must be > 0, got {self.deviation}")
        if not self.threshold >= 0:
            raise InvalidSetting(f"threshold must be >= 0, got {self.threshold}")
        if self.recent < 0:
            raise InvalidSetting(f"recent must be >= 0, got {self.recent}")

    def begin(self, pool: Pool) -> PoolState:
        """Return a corpus of the seeds, with the logits of the clean pass."""
        roots = torch.arange(len(pool.seeds))
        return Corpus.begun(inputs=pool.seeds.batch.inputs, logits=pool.seeds.clean.logits.cpu(), roots=roots).state

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        """Mutate one entry; there is always another step."""
        corpus = Corpus(state, _COLUMNS)
        entry = self._chosen(corpus, pool)
        root = corpus["roots"][entry].repeat(self.mutants)
        noise = pool.streams.normal(pool.step, 1, (self.mutants, *corpus["inputs"].shape[1:]))[0]
        noise.mul_(self.deviation * pool.seeds.span)
        # Differs: noise adds up over generations, and the release clips only the pixels' range; here every mutant is
        # projected back into the region around its root.
        mutants = pool.space.project(noise.add_(corpus["inputs"][entry]), pool.seeds.batch.inputs[root])
        seen = pool.subject.model.of(root).observe(mutants)
        new = _new_rows(seen.logits.cpu(), corpus["logits"], self.threshold)
        corpus.append(inputs=mutants[new], logits=seen.logits[new].cpu(), roots=root[new])
        # Differs: the release stops at the first error and keeps nothing but it; a campaign judges one pick a step.
        best = seen.lead(pool.seeds.expected[root]).argmin().view(1).cpu()
        return Candidates(mutants[best], root[best], pool.step)

    def _chosen(self, corpus: Corpus, pool: Pool) -> Tensor:
        """Return the number of an entry whose root is still in the pool."""
        living = pool.wanted[corpus["roots"]].nonzero().flatten()
        first, second = pool.streams.uniform(pool.step, 0, (2,))[0].double()
        drawn = living[(first * len(living)).long()].view(1)
        among = torch.cat([living[len(living) - min(self.recent, len(living)) :], drawn])
        return among[(second * len(among)).long()]


def _new_rows(logits: Tensor, known: Tensor, threshold: float) -> Tensor:
    """Return which rows of logits (M, C) lie far from the known ones (K, C) and from new rows before them, int64."""
    far = torch.cdist(logits.double(), known.double()).amin(dim=1).square() > threshold
    new: list[int] = []
    for row in far.nonzero().flatten().tolist():
        apart = (logits[new] - logits[row]).double().square().sum(dim=1)
        if bool((apart > threshold).all()):
            new.append(row)
    return torch.tensor(new, dtype=torch.int64)
