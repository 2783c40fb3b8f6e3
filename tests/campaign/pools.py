"""A small pool hunter for tests: a queue of noisy copies that all seeds share."""

from dataclasses import dataclass

import torch

from unnerve.core.findings import Candidates
from unnerve.core.model import Capability
from unnerve.core.pools import Pool, PoolState

__all__ = ["Queue"]


@dataclass(frozen=True)
class Queue:
    """Take the oldest entry of the queue, try some noisy copies, append those that the model is least sure of.

    Parameters
    ----------
    copies : int
        Mutants per step.
    size : float
        Of the noise.
    steps : int
        After which it has had enough.
    fail_at : int
        The step in which it raises; never by default.
    """

    copies: int = 4
    size: float = 0.2
    steps: int = 1000
    fail_at: int = -1
    needs = Capability.ANSWERS
    regions = None

    def begin(self, pool: Pool) -> PoolState:
        return PoolState(
            {"queue": pool.seeds.batch.inputs.clone(), "roots": torch.arange(len(pool.seeds))}, {"taken": 0, "tries": 0}
        )

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        if state.values["tries"] >= self.steps:
            return None
        if state.values["tries"] == self.fail_at:
            raise ValueError("the queue broke")
        state.values["tries"] += 1
        queue, roots = state.tensors["queue"], state.tensors["roots"]
        living = pool.wanted[roots].nonzero().flatten()
        place = int(living[state.values["taken"] % len(living)])
        state.values["taken"] += 1
        root = roots[place].repeat(self.copies)
        noise = pool.streams.normal(pool.step, 0, (self.copies, *queue.shape[1:]))[0] * self.size
        centre = pool.seeds.batch.inputs[root]
        mutants = pool.space.project(queue[place] + noise, centre)
        seen = pool.subject.model.of(root).observe(mutants)
        best = int(seen.lead(pool.seeds.expected[root]).argmin())
        state.tensors["queue"] = torch.cat([queue, mutants[best : best + 1]])
        state.tensors["roots"] = torch.cat([roots, root[:1]])
        return Candidates(mutants[best : best + 1], root[:1], pool.step)
