"""The second judgement: whether what was proven once fails again, in different company."""

from collections.abc import Iterable, Mapping

from unnerve.campaign.plan import HuntPlan
from unnerve.core.findings import Finding, Seeds
from unnerve.core.judge import judged_again, other_random_numbers
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject

__all__ = ["doubtful"]

_ONE_IN = 20
"""Of findings of a kind that its seed has already, one in so many is judged a second time."""


def doubtful(
    plan: HuntPlan, subject: Subject[Classifier], seeds: Seeds, found: Mapping[str, Finding], wary: bool = False
) -> set[str]:
    """Return the ids of findings that do not fail every time they are run.

    Each seed's first of every wrong class is judged a second time, and one in twenty of the rest, all in one batch and
    in an order that mixes seeds and steps. A model whose answers depend on the input alone agrees with itself. Once one
    finding disagrees, or if the model is known to be unstable (``wary``), all of them must fail in as many runs as the
    plan asks for, the first judgement included; those that do not are doubtful.
    """
    kept = list(found)
    if not wary:
        chosen = _chosen(found)
        failing = _still_failing(plan, subject, seeds, [found[name] for name in chosen], 1)
        if len(failing) == len(chosen):
            return set()
        kept = [name for name in found if name in failing or name not in set(chosen)]
    for run in range(1, plan.proofs):
        failing = _still_failing(plan, subject, seeds, [found[name] for name in kept], run)
        kept = [name for name in kept if name in failing]
    return set(found) - set(kept)


def _chosen(found: Mapping[str, Finding]) -> list[str]:
    """Return the first finding of each seed and wrong class, and one in twenty of the others by their content hash."""
    kinds: set[tuple[str, int]] = set()
    chosen = []
    for name, finding in found.items():
        kind = (finding.seed_id, finding.after)
        if kind not in kinds or int(name[-8:], 16) % _ONE_IN == 0:
            chosen.append(name)
        kinds.add(kind)
    return chosen


def _still_failing(
    plan: HuntPlan, subject: Subject[Classifier], seeds: Seeds, findings: Iterable[Finding], run: int
) -> set[str]:
    """Return those that fail once more, as the same class; every run has an order and random numbers of its own."""
    # The digits of a content hash are as good as random; turned by the run they sort into another order each time.
    ordered = sorted(findings, key=lambda one: one.id[run % 32 :] + one.id[: run % 32])
    with other_random_numbers(run):
        now = judged_again(subject, seeds, ordered, plan.oracle, plan.region, plan.minimum_margin)
    return {one.id for one in ordered if one.id in now and now[one.id][1] == one.after}
