"""Campaigns that are unlike, side by side: a row each with its bar, and no claim that compares them."""

from dataclasses import dataclass

from unnerve.campaign.counts import Counts
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.leaderboard import Bar
from unnerve.reports.campaign.verdict import Task, tasks
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between, significant
from unnerve.reports.parts.regions import region_words
from unnerve.studies.intervals.proportion import proportion

__all__ = ["Row", "side_by_side"]


@dataclass(frozen=True)
class Row:
    """One model under one region.

    Parameters
    ----------
    name, model, where, methods : str
        The folder; what was hunted, where, and with what methods, as on the command line.
    broken : Bar
    accuracy : str
        On the inputs looked at; a dash without labels.
    queries, each : str
        Spent in all, and per seed and method.
    """

    name: str
    model: str
    where: str
    methods: str
    broken: Bar
    accuracy: str
    queries: str
    each: str


def side_by_side(evidence: Evidence) -> tuple[Row, ...]:
    """Return a row for each model, data set and region, in the order of the campaigns; none if there is only one."""
    every = tasks(evidence)
    if len(every) < 2:
        return ()
    return tuple(_row(evidence, task) for task in every if task.hunted)


def _row(evidence: Evidence, task: Task) -> Row:
    own = [one for one in evidence.methods if evidence.campaigns[one.campaign] in task.campaigns]
    total = Counts.total(one.counts for one in own)
    share = proportion(task.broken, task.hunted)
    low, high = share.ci95
    figure = f"{count(task.broken)} of {count(task.hunted)}"
    plan, known = task.campaigns[0].plan, task.campaigns[0].accuracy
    return Row(
        name=task.name,
        model=display_name(plan.model.name, 60),
        where=region_words(plan.region, evidence.shape),
        methods=display_name(
            ", ".join(dict.fromkeys(one.text for own in task.campaigns for one in own.plan.methods)), 80
        ),
        broken=Bar(figure, percent_between(low, high), 100 * share.mean, 100 * low, 100 * high),
        accuracy="-" if known is None or known.share is None else percent(known.share.mean),
        queries=count(total.queries),
        each=f"{significant(total.queries / max(1, total.inputs))} each",
    )
