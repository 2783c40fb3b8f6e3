"""Time and memory of reporting a large campaign: 100,000 findings of 1x28x28, through the store and back."""

import tempfile
from functools import cache

import numpy as np

from benchmarks.memory import measured
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Plan, Shard, Source, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.store import Store
from unnerve.core.findings import Finding, finding_id
from unnerve.core.naming.catalogue import build
from unnerve.subjects.datasets.tensors import tensors

_SEEDS, _EACH, _SHAPE = 4000, 25, (1, 28, 28)

_REPORTED = """
import resource, sys
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.studies.campaign.campaign import Campaign
campaign = Campaign.at(sys.argv[1])
assert campaign.summary()["errors"] == 100_000
page = write_campaign_report(campaign).read_text()
assert "A sample of 300 of the 100,000 findings" in page
spent = resource.getrusage(resource.RUSAGE_SELF)
print(spent.ru_utime + spent.ru_stime)
"""


def report_seconds() -> float:
    """CPU seconds of a process that summarises and reports 100,000 findings."""
    return _measured()[0]


def report_gigabytes() -> float:
    """Peak memory of that process, in GiB."""
    return _measured()[1]


@cache
def _measured() -> tuple[float, float]:
    with tempfile.TemporaryDirectory() as folder:
        _write(Store(folder))
        seconds, gigabytes = measured(_REPORTED, folder, folder)
    return seconds, gigabytes


def _write(store: Store) -> None:
    draw = np.random.default_rng(0)
    labels = np.arange(_SEEDS) % 10
    seeds = tensors(draw.random((_SEEDS, *_SHAPE), dtype=np.float32), labels, [str(one) for one in range(10)], "noise")
    plan: HuntPlan = Plan(
        model=Source("none", "none"),
        data=Source("noise", "noise", {"looked_at": _SEEDS}),
        methods=(build("hunter", "random"),),
        region=build("region", "linf:0.1"),
        oracle=build("oracle", "misclassified"),
        seeds=_SEEDS,
    )
    store.begin(recorded(plan, seeds.shape), {}, seeds, resume=False)
    for shard in shards(plan):
        store.write(shard, plan.labels[0], _outcome(shard, labels, draw), seconds=1.0)


def _outcome(shard: Shard, labels: np.ndarray, draw: np.random.Generator) -> Outcome:
    """Return noise as findings: nothing compresses worse."""
    names = [str(number) for number in range(shard.start, shard.stop)]
    findings = [
        (_finding(name, int(labels[int(name)]), step, draw.random(_SHAPE, dtype=np.float32)), 2 * (step + 1))
        for name in names
        for step in range(_EACH)
    ]
    records = (SeedRecord(name, 2 * _EACH, _EACH, _EACH) for name in names)
    return Outcome(tuple(findings), tuple(records))


def _finding(name: str, label: int, step: int, values: np.ndarray) -> Finding:
    data = values.tobytes()
    return Finding(
        id=finding_id(name, data),
        seed_id=name,
        label=label,
        before=label,
        after=(label + 1 + step % 9) % 10,
        confidence_before=0.9,
        confidence_after=float(values[0, 0, 0]),
        l0=784,
        l2=float(values[0, 0, 1]),
        linf=0.1,
        step=step,
        margin=0.5,
        input=data,
        shape=_SHAPE,
        dtype="float32",
    )
