"""What it costs to believe nothing: the second judgement, and the checks of what is stored and read."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from benchmarks.pairs import one_thread, ratio
from benchmarks.scene import job, network, subject
from unnerve.campaign import store
from unnerve.campaign._second_judgement import doubtful
from unnerve.campaign._tables import _check_ids, read_shard
from unnerve.campaign.records import recorded
from unnerve.campaign.run import Outcome, ShardJob, run
from unnerve.campaign.sealing import stored_shards
from unnerve.campaign.sealing.seal import SealedAs, check_seal
from unnerve.core.findings import Seeds
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.data import examples


def second_share(method: str = "pgd") -> float:
    """Time of the second judgement relative to the hunt that it ends: default settings."""
    lenet = network()
    work, tested = job(lenet, method, 50), subject(lenet)
    found = {finding.id: finding for finding, _ in run(work, tested).findings}
    seeds = Seeds.observed(lenet, work.seeds)
    with one_thread():
        return 1 / ratio(lambda: doubtful(work.plan, tested, seeds, found), lambda: run(work, tested), rounds=9)


def check_share() -> float:
    """Time to check a whole stored shard, seal and content hashes, relative to hunting it: PGD, default settings."""
    lenet = network()
    work, tested = job(lenet, "pgd", 50), subject(lenet)
    with tempfile.TemporaryDirectory() as folder, one_thread():
        checked = _checks(work, run(work, tested), folder)
        return 1 / ratio(checked, lambda: run(work, tested), rounds=9)


def read_share() -> float:
    """Time of the same checks relative to reading the campaign for its report."""
    lenet = network()
    work, tested = job(lenet, "pgd", 50), subject(lenet)
    with tempfile.TemporaryDirectory() as folder, one_thread():
        checked = _checks(work, run(work, tested), folder)
        campaign = Campaign.at(folder)
        return 1 / ratio(checked, lambda: campaign.report(Path(folder, "report.html")), rounds=5)


def load_share() -> float:
    """Time that the checks add to loading every input of a campaign, relative to loading them unchecked.

    By processor time, of both threads together: by the clock less of it shows, where a second core is free.
    """
    lenet = network()
    with tempfile.TemporaryDirectory() as folder, one_thread():
        hunt(lenet, examples("mnist5k"), "pgd", folder, region="linf:0.2", inputs=400)

        def unchecked() -> None:
            with patch.object(stored_shards, "check_seal", lambda *_: None):
                Campaign.at(folder).tensors()

        return 1 / ratio(lambda: Campaign.at(folder).tensors(), unchecked, rounds=15, clock=time.process_time) - 1


def _checks(work: ShardJob, outcome: Outcome, folder: str) -> Callable[[], None]:
    """Store a shard, and return a function that checks all of it."""
    seeds = hunted_seeds(subject(network()).model, examples("mnist5k"), 50).seeds
    stored = store.Store(folder)
    stored.begin(recorded(work.plan, seeds.shape), {}, seeds, resume=False)
    stored.write(work.shard, work.plan.labels[0], outcome, seconds=1.0)
    data = stored.folder.content(f"shards/{work.shard.name}.parquet")
    owner = SealedAs(stored._sealing.plan, work.shard.name)
    table, _ = read_shard(data, None, owner)

    def checked() -> None:
        check_seal(data, owner, inputs=True)
        _check_ids(table)

    return checked
