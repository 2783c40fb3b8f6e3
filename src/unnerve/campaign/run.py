"""Running one shard: in chunks that stay in cache, so that a seed that breaks something is lost alone."""

from dataclasses import dataclass, replace

from unnerve.campaign._chunk_run import BoundHunt, ChunkRun, OnProgress
from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import Plan, Shard
from unnerve.core.catalogue import build
from unnerve.core.errors import InvalidModel, UserError
from unnerve.core.examples import Batch
from unnerve.core.model import Classifier, require
from unnerve.core.reference import Reference

__all__ = ["OnProgress", "Outcome", "SeedRecord", "ShardJob", "Unfinished", "rehearse", "run"]

_ROWS = 1000


class Unfinished(Exception):
    """A shard is given up before its end, and nothing of it is kept."""


class _Interrupted(BaseException):
    """What a pulse raised, on its way past those who would take it for a seed's fault."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True, eq=False)
class ShardJob:
    """What one shard needs beside the model, as one value that can be sent to another process.

    Parameters
    ----------
    plan : Plan
    shard : Shard
    seeds : Batch
        The shard's own.
    reference : Reference or None
        What the methods compare with.
    """

    plan: Plan
    shard: Shard
    seeds: Batch
    reference: Reference | None = None


def run(job: ShardJob, model: Classifier, on_progress: OnProgress = lambda counts: None) -> Outcome:
    """Hunt the shard's seeds; the outcome depends on the plan and each seed alone, not on the company."""
    hunt = _hunt(job.plan, job.shard.method, model, job.reference)
    outcome = Outcome((), ())
    size = max(1, _ROWS // hunt.hunter.width)
    try:
        for start in range(0, len(job.seeds), size):
            outcome += _guarded(hunt, job.seeds[start : start + size], _after(outcome, _sheltered(on_progress)))
    except _Interrupted as stop:
        raise stop.problem from None
    return outcome


def rehearse(plan: Plan, model: Classifier, seed: Batch, reference: Reference | None = None) -> None:
    """Let every method take one step with one seed: settings that do not fit together show before a campaign begins."""
    for method in range(len(plan.methods)):
        # Stopping at the first finding has every step judged, so the oracle takes part.
        hunt = _hunt(replace(plan, queries=None, again=False, keep_going=False), method, model, reference)
        try:
            ChunkRun(hunt, seed, _stop).outcome()
        except Unfinished:
            continue
        except Exception as problem:
            # One seed that breaks the model or the hunter is no reason to leave the others alone.
            if not _seeds_fault(problem):
                raise


def _stop(_: Counts) -> None:
    raise Unfinished


def _seeds_fault(problem: Exception) -> bool:
    """Say whether a problem is recorded with the seed: all but settings and data that do not fit together."""
    return isinstance(problem, InvalidModel) or not isinstance(problem, UserError)


def _sheltered(on_progress: OnProgress) -> OnProgress:
    """Return a pulse whose exceptions nobody can take for a hunter's, a model's or a generator's."""

    def sheltered(counts: Counts) -> None:
        try:
            on_progress(counts)
        except Exception as problem:
            raise _Interrupted(problem) from problem

    return sheltered


def _hunt(plan: Plan, method: int, model: Classifier, reference: Reference | None) -> BoundHunt:
    hunter, oracle = build("hunter", plan.methods[method]), build("oracle", plan.oracle)
    require(model, hunter.needs, str(plan.methods[method]["name"]))
    require(model, oracle.needs, str(plan.oracle["name"]))
    return BoundHunt(plan, model, hunter, build("region", plan.region), oracle, reference)


def _guarded(hunt: BoundHunt, batch: Batch, on_progress: OnProgress) -> Outcome:
    """Hunt together; if something breaks, hunt one by one, so that only the seed that breaks it is lost."""
    try:
        return ChunkRun(hunt, batch, on_progress).outcome()
    except Exception as problem:
        if not _seeds_fault(problem):
            raise
        if len(batch) == 1:
            reason = str(problem) if isinstance(problem, InvalidModel) else f"{type(problem).__name__}: {problem}"
            return Outcome((), (SeedRecord(batch.ids[0], 0, 0, 0, reason),))
    half = len(batch) // 2
    first = _guarded(hunt, batch[:half], on_progress)
    return first + _guarded(hunt, batch[half:], _after(first, on_progress))


def _after(outcome: Outcome, on_progress: OnProgress) -> OnProgress:
    """Return a pulse for what comes after an outcome."""
    before = outcome.counts()
    return lambda now: on_progress(before + now)
