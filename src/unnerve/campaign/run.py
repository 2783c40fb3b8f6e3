"""Running one shard: seeds in chunks that stay in cache, so that one that breaks something is lost alone; or a pool."""

from dataclasses import dataclass, replace

from unnerve.campaign._chunk_run import ChunkRun, OnProgress
from unnerve.campaign._ledger import BoundHunt
from unnerve.campaign._pool_run import Keeper, PoolRun
from unnerve.campaign._searched import quickened
from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Shard, shards
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import FROM_OUTSIDE, Interrupt, InvalidModel, UserError, raised
from unnerve.core.model import Classifier, require
from unnerve.core.pools import PoolHunter
from unnerve.core.subject import Subject

__all__ = ["OnProgress", "Outcome", "SeedRecord", "ShardJob", "Unfinished", "rehearse", "run"]

# Inputs per step of a chunk, so that what a hunter keeps of them stays in a processor's cache; and their bytes, so that
# a swarm around photographs, of which it keeps several, does not fill the memory.
_ROWS = 1000
_BYTES = 2**26


class Unfinished(Exception):
    """A shard is given up before its end; of a pool only its checkpoint is kept, of other shards nothing."""


class _Interrupted(Interrupt):
    """What a call of ``on_progress`` raised, on its way past those who would take it for a seed's fault."""

    def __init__(self, problem: Exception) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True, eq=False)
class ShardJob:
    """What one shard needs beside the subject, as one value that can be sent to another process.

    Parameters
    ----------
    plan : HuntPlan
    shard : Shard
    seeds : Batch
        The shard's own.
    wary : bool
        The model is known to be unstable.
    """

    plan: HuntPlan
    shard: Shard
    seeds: Batch
    wary: bool = False


def run(
    job: ShardJob,
    subject: Subject[Classifier],
    on_progress: OnProgress = lambda counts: None,
    keeper: Keeper | None = None,
) -> Outcome:
    """Hunt the shard's seeds; the outcome depends on the plan and each seed, or pool, alone, not on the company.

    Parameters
    ----------
    job : ShardJob
    subject : Subject
        The model, and what methods compare it with.
    on_progress : OnProgress
    keeper : Keeper or None
        Where an unfinished pool is kept.
    """
    hunt = replace(_bound(job.plan, job.shard.method, subject), wary=job.wary)
    try:
        hunt = replace(hunt, quick=quickened(subject.model, hunt.hunter, tuple(job.seeds.inputs.shape[1:])))
        if isinstance(hunt.hunter, PoolHunter):
            return _guarded_pool(PoolRun(hunt, job.seeds, _sheltered(on_progress), keeper))
        outcome = Outcome((), ())
        # A swarm asks about many inputs per seed, so that fewer seeds make a pass of the same size.
        most = min(_ROWS, _BYTES // max(1, job.seeds.inputs[0].nbytes))
        size = max(1, most // hunt.hunter.width)
        for start in range(0, len(job.seeds), size):
            outcome += _guarded(hunt, job.seeds[start : start + size], _after(outcome, _sheltered(on_progress)))
        return outcome
    except _Interrupted as stop:
        raise stop.problem from None


def rehearse(plan: HuntPlan, subject: Subject[Classifier], seeds: Examples) -> tuple[int | None, ...]:
    """Let every method take one step with one seed: settings that do not fit together show before a campaign begins.

    Returns
    -------
    tuple of int or None
        Queries per seed that each method needs for one step; None where the seed broke it before it could be told.
    """
    # Stopping at the first finding has every step judged, so the oracle takes part.
    first_step = replace(plan, queries=None, again=False, keep_going=False)
    hunts = [_bound(first_step, method, subject) for method in range(len(plan.methods))]
    alone = seeds.batch([0])
    runs = [_one_run(hunt, alone, _stop) for hunt in hunts]
    for run in runs:
        _take_one_step(run)
    return tuple(_shared(plan, run, seeds) for run in runs)


def _shared(plan: HuntPlan, run: ChunkRun | PoolRun, seeds: Examples) -> int | None:
    """Return what a method needs per seed; a pool's seeds share the cost of a step, however it grows with them."""
    if not isinstance(run, PoolRun) or run.least is None or plan.queries is None or run.least <= plan.queries:
        return run.least
    # The smallest pool needs most. It is rehearsed only where one seed alone could not pay: it may be large.
    own = [shard for shard in shards(plan) if shard.method == run.hunt.method]
    smallest = min(own, key=lambda one: one.stop - one.start)
    whole = PoolRun(run.hunt, seeds.batch(range(smallest.start, smallest.stop)), _stop)
    _take_one_step(whole)
    return whole.least


def _take_one_step(run: ChunkRun | PoolRun) -> None:
    """Run until the first report of progress, or until a seed breaks the model or the hunter: others may be well."""
    try:
        run.outcome()
    except Unfinished:
        return
    except FROM_OUTSIDE:
        raise
    except BaseException as problem:
        if not _seeds_fault(problem):
            raise


def _one_run(hunt: BoundHunt, batch: Batch, on_progress: OnProgress) -> ChunkRun | PoolRun:
    return (PoolRun if isinstance(hunt.hunter, PoolHunter) else ChunkRun)(hunt, batch, on_progress)


def _stop(_: Counts) -> None:
    raise Unfinished


def _seeds_fault(problem: BaseException) -> bool:
    """Say whether a problem is recorded with the seed: all but settings and data that do not fit together."""
    return isinstance(problem, InvalidModel) or not isinstance(problem, UserError)


def _sheltered(on_progress: OnProgress) -> OnProgress:
    """Return a callback whose exceptions nobody can take for a hunter's, a model's or a generator's."""

    def sheltered(counts: Counts) -> None:
        try:
            on_progress(counts)
        except Exception as problem:
            raise _Interrupted(problem) from problem

    return sheltered


def _bound(plan: HuntPlan, method: int, subject: Subject[Classifier]) -> BoundHunt:
    for one in (plan.methods[method], plan.oracle):
        require(subject.model, one.needs, plan.labels[method] if one is not plan.oracle else plan.oracle.facts().text)
    return BoundHunt(plan, method, subject)


def _guarded(hunt: BoundHunt, batch: Batch, on_progress: OnProgress) -> Outcome:
    """Hunt together; if something breaks, hunt one by one, so that only the seed that breaks it is lost."""
    try:
        return ChunkRun(hunt, batch, on_progress).outcome()
    except FROM_OUTSIDE:
        raise
    except BaseException as problem:
        if not _seeds_fault(problem):
            raise
        if len(batch) == 1:
            return _lost(batch, problem)
    # Halving finds one bad seed among many in a few runs, and each good one is hunted about log2(N) times.
    half = len(batch) // 2
    first = _guarded(hunt, batch[:half], on_progress)
    return first + _guarded(hunt, batch[half:], _after(first, on_progress))


def _guarded_pool(pool: PoolRun) -> Outcome:
    """Hunt a pool; if something breaks, all of its seeds are lost: without one of them it would be another pool."""
    try:
        return pool.outcome()
    except FROM_OUTSIDE:
        raise
    except BaseException as problem:
        if not _seeds_fault(problem):
            raise
        return _lost(pool.batch, problem)


def _lost(batch: Batch, problem: BaseException) -> Outcome:
    reason = str(problem) if isinstance(problem, InvalidModel) else raised(problem)
    return Outcome((), tuple(SeedRecord(name, 0, 0, 0, reason) for name in batch.ids))


def _after(outcome: Outcome, on_progress: OnProgress) -> OnProgress:
    """Return a callback for what comes after an outcome."""
    before = outcome.counts()
    return lambda now: on_progress(before + now)
