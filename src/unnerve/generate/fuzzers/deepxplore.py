"""DeepXplore: gradients towards disagreement and towards neurons nobody has activated (Pei et al., SOSP 2017)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.model import Capability, Instrumented, Observation, Want, require
from unnerve.core.pools import Pool, PoolState
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.fuzzers._constraints import CONSTRAINTS
from unnerve.measure.coverages.nc import relative_activity

__all__ = ["DeepXplore"]


@dataclass(frozen=True)
class DeepXplore:
    r"""Ascend, from every seed, a joint objective of disagreement and neuron coverage, under a constraint.

    .. math:: -\lambda_1 f_0(x)_c + \sum_{k \ge 1} f_k(x)_c + \lambda_2 \sum_k \phi_k(n_k, x)

    Here :math:`f_k(x)_c` is the logit of the seed's class in the k-th model, the first of which is under test, and
    :math:`n_k` a neuron that no failing input has activated yet, drawn anew for each seed and step. With peers
    (``--peers``) it looks for inputs on which the models disagree; without, for a change of the model's own answer.

    Parameters
    ----------
    constraint : str
        ``light``, ``occlusion`` or ``blackout``.
    steps : int
        Per seed, >= 1.
    length : float
        Of a step, as a share of the valid range, of a gradient whose root mean square is one, > 0.
    difference : float
        :math:`\lambda_1`, > 0.
    coverage : float
        :math:`\lambda_2`, >= 0.
    threshold : float
        Above which a neuron is activated, relative to its layer, in [0, 1); the release is run with 0.
    side : int
        Of the squares of ``occlusion`` and ``blackout``, in pixels, >= 1; the release's occlusions have 10.

    References
    ----------
    Pei et al., "DeepXplore: Automated Whitebox Testing of Deep Learning Systems", 2017.
    """

    constraint: str = "blackout"
    steps: int = 50
    length: float = 10.0
    difference: float = 1.0
    coverage: float = 0.1
    # Differs: the author ran the release with 0, above which nearly every neuron is with nearly any input.
    threshold: float = 0.2
    # Differs: the release has 6 for blackouts and 10 for occlusions; here one setting is both.
    side: int = 6
    needs = Capability.NEURONS | Capability.GRADIENTS
    endless = False
    regions = None
    peered = True
    small = ("steps=6,side=3", "light,steps=6,length=0.01", "occlusion,steps=6,length=0.1,side=3")

    def __post_init__(self) -> None:
        if self.constraint not in CONSTRAINTS:
            raise InvalidSetting(f"constraint must be {' or '.join(CONSTRAINTS)}, got '{self.constraint}'")
        for name, least in (("steps", 1), ("side", 1), ("coverage", 0)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
        for name in ("length", "difference"):
            if not getattr(self, name) > 0:
                raise InvalidSetting(f"{name} must be > 0, got {getattr(self, name)}")
        if not 0 <= self.threshold < 1:
            raise InvalidSetting(f"threshold must be in [0, 1), got {self.threshold}")

    def begin(self, pool: Pool) -> PoolState:
        """Return the seeds as they are, and neurons that nothing has activated."""
        x = pool.seeds.batch.inputs
        covered = {}
        for place, model in enumerate(_models(pool)):
            require(model, self.needs, "deepxplore")
            assert isinstance(model.model, Instrumented)
            covered[f"covered{place}"] = torch.zeros(len(model.model.neuron_map(x[:1])), dtype=torch.bool)
        return PoolState({"x": x.clone(), **covered}, {"steps": 0})

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        """Take a step from every seed that is still in the pool."""
        if state.values["steps"] >= self.steps:
            return None
        state.values["steps"] += 1
        # Differs: the release takes one seed after the other; all seeds take a step together here, and a neuron that
        # one of them activates is covered for all from the next step on. Nor does a seed end at its first error, for
        # there may be further kinds.
        rows = pool.wanted.nonzero().flatten()
        x = state.tensors["x"][rows]
        total, seen = self._gradients(pool, state, rows, x)
        self._cover(pool, state, rows, seen)
        scale = total.flatten(1).square().mean(dim=1).sqrt().add_(1e-5 / pool.seeds.span)
        total /= scale.view(-1, *[1] * (total.ndim - 1))
        # An occlusion stays where it is: moved at every step it would become a change of the whole image.
        turn = 0 if self.constraint == "occlusion" else pool.step
        draws = pool.streams.uniform(turn, len(seen), (len(pool.wanted), 2))[0][rows]
        change = CONSTRAINTS[self.constraint](total, draws, self.side).mul_(self.length * pool.seeds.span)
        # Differs: the release clips nothing, and its steps of 10 lead far out of the range of pixels.
        x = pool.space.project(x + change, pool.seeds.batch.inputs[rows])
        state.tensors["x"][rows] = x
        return Candidates(x, rows, pool.step)

    def _gradients(self, pool: Pool, state: PoolState, rows: Tensor, x: Tensor) -> tuple[Tensor, list[Observation]]:
        """Return the gradient of the joint objective, like x, and what each model showed on the way."""
        total, seen = torch.zeros_like(x), []
        for place, model in enumerate(_models(pool)):
            # Differs from the release, which draws a neuron once for a seed, not from Algorithm 1 of the paper.
            draws = pool.streams.uniform(pool.step, place, (len(pool.wanted),))[0][rows]
            neurons = _uncovered(state.tensors[f"covered{place}"], draws)
            targets = torch.stack([pool.seeds.clean.predicted[rows].cpu(), neurons], dim=1)
            objective = _Objective(-self.difference if place == 0 else 1.0, self.coverage)
            _, gradient, observed = model.of(rows).gradient(x, objective, targets, Want.RANGES)
            total += gradient
            seen.append(observed)
        return total, seen

    def _cover(self, pool: Pool, state: PoolState, rows: Tensor, seen: list[Observation]) -> None:
        """Mark the neurons that failing inputs activate; as in the paper, others cover nothing."""
        agreed = pool.seeds.clean.predicted[rows] if len(seen) == 1 else seen[0].predicted
        failing = torch.stack([one.predicted != agreed for one in seen]).any(dim=0)
        if not bool(failing.any()):
            return
        for place, (model, observed) in enumerate(zip(_models(pool), seen, strict=True)):
            neurons = model.neuron_map(pool.seeds.batch.inputs[:1])
            active = relative_activity(neurons, observed)[failing] > self.threshold
            state.tensors[f"covered{place}"] |= active.any(dim=0).cpu()


@dataclass(frozen=True)
class _Objective:
    """A model's part of the joint objective; targets are the class and the neuron of each row, (N, 2)."""

    weight: float
    coverage: float

    def __call__(self, seen: Observation, targets: Tensor) -> Tensor:
        logit = seen.logits.gather(1, targets[:, :1]).squeeze(1)
        neuron = seen.neurons.gather(1, targets[:, 1:]).squeeze(1)
        return self.weight * logit + self.coverage * neuron


def _models(pool: Pool) -> tuple[Metered, ...]:
    """Return the model under test and its peers, all metered."""
    peers = pool.subject.context.peers
    assert all(isinstance(peer, Metered) for peer in peers)
    return (pool.subject.model, *(peer for peer in peers if isinstance(peer, Metered)))


def _uncovered(covered: Tensor, draws: Tensor) -> Tensor:
    """Return for each draw in [0, 1) a neuron that is not covered yet, any of them if all are: int64, like draws."""
    left = (~covered).nonzero().flatten()
    left = left if len(left) else torch.arange(len(covered))
    return left[(draws.double() * len(left)).long()]
