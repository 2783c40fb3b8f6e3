"""The findings of a campaign, shown to the model again."""

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from unnerve.campaign.plan import StoredPlan
from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Finding, Seeds
from unnerve.core.judge import judged_again
from unnerve.core.model import Classifier, require
from unnerve.core.subject import Context, Subject
from unnerve.studies.campaign.hunted_model import as_hunted
from unnerve.studies.verify._stored_claims import Claims
from unnerve.subjects.joined import fitted
from unnerve.subjects.models import model as as_model

__all__ = ["no_longer_true", "subject_of"]


def subject_of(model: Any, peers: Any, plan: StoredPlan, claims: Claims, shape: tuple[int, ...]) -> Subject[Classifier]:
    """Take the model of a campaign; raises if it is another one, or if the oracle cannot be asked."""
    if claims.region is None or claims.oracle is None:
        raise InvalidSetting(
            f"region {plan.region.text} or oracle {plan.oracle.text} is somebody's own code, which is not run, so that "
            "findings cannot be judged again"
        )
    subject = as_hunted(_fitted(model, plan, claims), plan)
    now = subject.identity(shape)
    if now != plan.model.hash:
        raise InvalidSetting(
            f"{subject.name} is not the model of the campaign, {plan.model.name}: its hash is {now}, and was "
            f"{plan.model.hash}"
        )
    require(subject, claims.oracle.needs, plan.oracle.text)
    return Subject(subject, Context(peers=_peers(peers, plan, claims, shape)))


def no_longer_true(
    subject: Subject[Classifier], batch: Batch, findings: Sequence[Finding], claims: Claims
) -> Iterator[tuple[Finding, str]]:
    """Yield findings that the model does not answer as is stored, and how it answers."""
    assert claims.region is not None
    assert claims.oracle is not None
    target = claims.oracle.target
    wanted = None if target is None else torch.full((len(batch),), target)
    seeds = Seeds(batch, subject.model.observe(batch.inputs), wanted)
    # The stored margin was demanded once; rounding elsewhere may take a little of it, but not the error.
    now = judged_again(subject, seeds, findings, claims.oracle, claims.region, minimum_margin=0.0)
    for one in findings:
        if one.id not in now:
            yield one, "it does not fail when it is run again"
        elif (one.before, one.after) != now[one.id]:
            before, after = now[one.id]
            yield one, f"it is answered {after} (seed {before}), and not {one.after} (seed {one.before})"


def _peers(peers: Any, plan: StoredPlan, claims: Claims, shape: tuple[int, ...]) -> tuple[Classifier, ...]:
    named = [one.strip() for one in peers.split(",")] if isinstance(peers, str) else list(peers or ())
    told = [one["hash"] for one in plan.model.details.get("peers", [])]
    opened = tuple(_fitted(one, plan, claims) for one in named)
    if [one.identity(shape) for one in opened] != told:
        known = ", ".join(str(one["name"]) for one in plan.model.details.get("peers", [])) or "none"
        raise InvalidSetting(f"--peers must be those of the campaign, {known}, got {peers or 'none'}")
    return opened


def _fitted(model: Any, plan: StoredPlan, claims: Claims) -> Classifier:
    """Take a model for the values that the campaign's data hold."""
    # Rows of a table are searched in standard deviations: the region's range is not that of their values.
    held = plan.region.value_range if claims.features is None else claims.features.value_range
    return fitted(as_model(model), held, claims.features)
