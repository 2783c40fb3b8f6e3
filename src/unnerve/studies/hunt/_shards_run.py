"""Running what is not finished yet of a campaign, with an engine, a deadline and a display."""

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace

import torch

from unnerve.campaign.campaign_run import CampaignRun, Engine
from unnerve.campaign.counts import Counts
from unnerve.campaign.engines.local import Local
from unnerve.campaign.engines.ray import Ray
from unnerve.campaign.plan import Shard, shards
from unnerve.campaign.run import Unfinished
from unnerve.campaign.store import DamagedShard
from unnerve.campaign.tally import tally
from unnerve.core.errors import ModelUnreachable
from unnerve.studies.hunt._alive import check_alive
from unnerve.studies.hunt.deadlines import Deadlines
from unnerve.studies.hunt.settings import RunSettings

__all__ = ["Progress", "run_shards", "threads"]

_WIDTHS = (88, 100, 120)
"""From these widths of a terminal on, further figures stand beside the bar."""
_NAME = 16
"""Characters of a method's name before the bar."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far a campaign is.

    Parameters
    ----------
    seeds, total : int
        Seeds done, and to be done, summed over methods.
    counts : Counts
        Found so far, unfinished shards included.
    """

    seeds: int
    total: int
    counts: Counts


def run_shards(campaign: CampaignRun, run: RunSettings, deadlines: Deadlines) -> bool:
    """Run what is not finished yet, and seeds that failed before; return whether that came to its end.

    Running out of time is an ordinary way not to.
    """
    planned = shards(campaign.plan)
    stored = _believed(campaign, planned)
    campaign = replace(campaign, retried={shard: failed for shard, (_, failed) in stored.items() if failed})
    counts = Counts.total(found for found, _ in stored.values())
    pending = [one for one in planned if one not in stored or one in campaign.retried]
    total = campaign.plan.seeds * len(campaign.plan.methods)
    engine = _engine(run)
    # Other engines take their steps elsewhere; what happens here between two of them is not the model's time.
    steps_here = isinstance(engine, Local)
    with _shown(run.progress, _methods(campaign)) as show, threads(_threads(run)):

        def on_progress(now: Counts) -> None:
            deadlines.show(steps_here)
            show(Progress(counts.inputs + counts.failed, total, counts + now))
            if deadlines.over:
                raise Unfinished

        try:
            on_progress(Counts())
            with closing(engine.run(campaign, pending, on_progress)) as results:
                for found in results:
                    counts += found
                    check_alive(campaign, found, counts)
                    done = counts.inputs + counts.failed
                    _LOG.info("%d of %d seeds done, %d broken", done, total, counts.seeds_broken)
                    on_progress(Counts())
        except Unfinished:
            return False
        except ModelUnreachable as problem:
            raise ModelUnreachable(f"{problem.command_line}; --resume goes on from here") from problem
    return True


def _methods(campaign: CampaignRun) -> str:
    count = len(campaign.plan.methods)
    return campaign.plan.labels[0][:_NAME] if count == 1 else f"{count} methods"


@contextmanager
def threads(count: int | None) -> Iterator[None]:
    """Let torch use so many threads while the context lasts; None changes nothing."""
    before = torch.get_num_threads()
    if count is not None:
        torch.set_num_threads(count)
    try:
        yield
    finally:
        if count is not None:
            torch.set_num_threads(before)


def _engine(run: RunSettings) -> Engine:
    if not isinstance(run.engine, str):
        return run.engine
    return Ray(run.address, run.workers, run.step_seconds) if run.engine == "ray" else Local()


def _threads(run: RunSettings) -> int | None:
    return run.workers if run.engine == "local" else None


def _believed(campaign: CampaignRun, planned: Sequence[Shard]) -> dict[Shard, tuple[Counts, list[int]]]:
    """Return what stored shards found and which of their seeds failed; shards that are damaged are set aside."""
    store, found = campaign.store, {}
    for name in store.strangers():
        moved = store.folder.set_aside(name)
        warnings.warn(f"{store.path}: {name} is not planned; it was moved to {moved}", stacklevel=2)
    for shard in store.finished(planned):
        try:
            found[shard] = _stored(campaign, shard)
        except DamagedShard as problem:
            moved = store.set_aside(shard)
            warnings.warn(
                f"{problem.name} is {problem.reason}; it was moved to {moved}, and is made again", stacklevel=2
            )
    return found


def _stored(campaign: CampaignRun, shard: Shard) -> tuple[Counts, list[int]]:
    """Return what a shard found from the seeds that it hunted, and which seeds failed."""
    label = campaign.plan.labels[shard.method]
    # All of it is checked, inputs too: what is wrong now will not be looked at again until somebody needs it.
    table, records = campaign.store.read(shard, whole=True)
    failed = [shard.start + place for place, record in enumerate(records) if record.failed is not None]
    # Failed seeds are done again, so they are not counted as done.
    return replace(tally(label, table, records).counts(), failed=0), failed


@contextmanager
def _shown(progress: bool | Callable[[Progress], None] | None, what: str) -> Iterator[Callable[[Progress], None]]:
    """Show how far a campaign is and what it has found."""
    if not progress:
        yield lambda progress: None
        return
    if callable(progress):
        yield progress
        return
    from rich.console import Console  # noqa: PLC0415 - a tenth of a second, for a bar that is mostly not wanted
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn  # noqa: PLC0415
    from rich.progress import Progress as Bar  # noqa: PLC0415

    start, before = time.monotonic(), -1
    found = TextColumn("seeds  {task.fields[found]}")
    columns = (TextColumn(what), BarColumn(20), MofNCompleteColumn(), found, TimeRemainingColumn(compact=True))
    console = Console(file=sys.stderr)
    with Bar(*columns, console=console, transient=True) as shown:
        task = shown.add_task(what, total=None, found="")

        def show(progress: Progress) -> None:
            nonlocal before
            counts = progress.counts
            before = counts.queries if before < 0 else before
            pace = (counts.queries - before) / max(time.monotonic() - start, 1e-3)
            parts = (
                f"{counts.seeds_broken:,} broken",
                f"{counts.errors:,} errors",
                f"{counts.error_categories:,} kinds",
                f"{pace:,.0f} queries/s",
            )
            # As much as fits: a line that is too long would push out the bar, the count and the time left.
            said = parts[: 1 + sum(console.width >= least for least in _WIDTHS)]
            shown.update(task, completed=progress.seeds, total=progress.total, found=", ".join(said))

        yield show
