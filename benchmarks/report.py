"""Time, memory and size of the report of a large campaign: 120,000 findings of 1x28x28, through the store and back."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.memory import measured
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan, Plan, Shard, Source, shards
from unnerve.campaign.records import recorded
from unnerve.campaign.store import Store
from unnerve.core.findings import Finding, finding_id
from unnerve.core.naming.catalogue import build
from unnerve.subjects.datasets.tensors import tensors

_SEEDS, _EACH, _SHAPE = 4800, 25, (1, 28, 28)
_CHROMIUM = "/usr/bin/chromium"

_REPORTED = """
import resource, sys
from unnerve.reports.campaign.html import write_campaign_report
from unnerve.studies.campaign.campaign import Campaign
campaign = Campaign.at(sys.argv[1])
assert campaign.summary()["errors"] == 120_000
page = write_campaign_report(campaign).read_text()
assert "A sample of 300 of the 120,000 findings" in page
spent = resource.getrusage(resource.RUSAGE_SELF)
print(spent.ru_utime + spent.ru_stime)
"""


def report_seconds() -> float:
    """CPU seconds of a process that summarises and reports 120,000 findings."""
    return _measured()[0]


def report_gigabytes() -> float:
    """Peak memory of that process, in GiB."""
    return _measured()[1]


def page_megabytes() -> float:
    """Size of the page, in MB."""
    return _measured()[2]


def interactive_seconds() -> float:
    """Seconds from opening the page to where gallery, matrix and filters work, in chromium; the best of three."""
    return _measured()[3]


@cache
def _measured() -> tuple[float, float, float, float]:
    with tempfile.TemporaryDirectory() as folder:
        _write(Store(folder))
        seconds, gigabytes = measured(_REPORTED, folder, folder)
        page = Path(folder) / "report.html"
        return seconds, gigabytes, page.stat().st_size / 1e6, min(_opened(page) for _ in range(3))


def _opened(page: Path) -> float:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page()
        tab.goto(page.as_uri())
        # Scripts run while the page is read, so that all of it is there and listens when its content is loaded.
        assert tab.locator(".tile").count() == 24
        ended = tab.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        browser.close()
    return float(ended) / 1000


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
