"""Defend: how well defences hold on clean inputs, on attacks, and on inputs of uncommon uncertainty."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.campaign.store import stored_array
from unnerve.core.data.class_names import class_called
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.core.methods import Normed
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build, describe, names
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.option_text import method_text
from unnerve.core.naming.specification import several, specification
from unnerve.mend.adaptive.evasion import Evasion
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.defend.prepared import Prepared, prepared
from unnerve.studies.defend.result import ADAPTIVE, Defended, Held, Shown
from unnerve.studies.defend.settings import DefendSettings
from unnerve.studies.hunt._region import hunted_region
from unnerve.subjects.data import further_data
from unnerve.subjects.joined import joined

__all__ = ["defences_named", "defend"]

_LEAST = 20
"""Clean inputs without which no threshold can be set at a rate of some per cent."""


_SHOWN = 12
"""Inputs of each group that a report pictures."""


@dataclass(frozen=True, eq=False)
class _Group:
    """Inputs (N, ...) with labels and what the model says of them, int64 (N,); PCS and VRO if they were hunted for."""

    name: str
    uncommon: bool
    inputs: Tensor
    labels: Tensor
    predicted: Tensor
    plane: tuple[tuple[float, ...], ...] = ()

    def shown(self, classes: tuple[str, ...]) -> Shown:
        """Return what a report shows of the group."""
        wrong = (self.predicted != self.labels).tolist()
        named = [
            tuple(class_called(classes, one) for one in pair)
            for pair in zip(self.labels.tolist(), self.predicted.tolist(), strict=True)
        ]
        answers = tuple((label, answer) for label, answer in named[:_SHOWN])
        return Shown(self.name, self.inputs[:_SHOWN].numpy(), answers, tuple(wrong), *self.plane)


@flat()
def defend(
    model: Any,
    data: Any,
    against: str | Sequence[str | Campaign] = (),
    defences: str | Sequence[Any] = "all",
    *,
    settings: DefendSettings,
) -> Defended:
    """Test how well defences hold.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        The data must have labels.
    against : str, or sequence of str or Campaign
        Folders of campaigns on the same model, with commas: of each method and seed the first finding is taken.
        Campaigns of a pattern (``hunt --pattern``) are uncommon inputs, all others and clean inputs common ones.
    defences : str, or sequence of str, Detector or transform
        ``all``, or detectors and input transforms with their settings: ``squeezing,mutation:mutants=500,jpeg:50``.
    settings : DefendSettings
        Its fields are given as keywords: ``inputs=200``.

    Returns
    -------
    Defended

    Examples
    --------
    >>> import unnerve
    >>> held = unnerve.defend("zoo:lenet5", "mnist5k", "runs/pgd,runs/uncommon", "squeezing,jpeg:75")
    >>> print(held.text())
    """
    subject, examples = joined(model, data)
    if examples.labels is None:
        raise InvalidData(f"{examples.name}: defences are tested with labelled inputs, and it has no labels")
    chosen = defences_named(defences)
    campaigns = [one if isinstance(one, Campaign) else Campaign.at(one) for one in _several(against)]
    attacked = {str(seed.id) for one in campaigns for tally in one.tallies.values() for seed in tally.seeds}
    clean = _clean(subject, examples, settings.inputs)
    held_out = _held_out(examples, len(clean.labels), settings, attacked)
    training = held_out if settings.training is None else further_data(settings.training, examples, "train")
    groups = [clean, *(group for one in campaigns for group in _found(subject, one))]
    rows = [Held("none", "none", one.name, one.uncommon, *_counts(one, one.predicted == one.labels)) for one in groups]
    rows += _adaptive(Prepared("none", "none", subject, subject), clean, examples, settings)
    learnt: dict[str, dict[str, Any]] = {}
    for text, defence in chosen:
        ready = prepared(subject, text, defence, held_out, training)
        if ready.calibration:
            learnt[text] = ready.calibration
        for one in groups:
            right = ready.right(one.inputs, one.labels, one.predicted)
            rows.append(Held(text, ready.kind, one.name, one.uncommon, *_counts(one, right)))
        rows += _adaptive(ready, clean, examples, settings)
    own = {"against": ",".join(one.store.path for one in campaigns), "defences": _defences_text(defences)}
    provenance = Provenance(called(defend, own, settings), opening_of(subject), opening_of(examples))
    shown = tuple(one.shown(examples.classes) for one in groups if one.uncommon)
    return Defended(
        subject.name, examples.name, tuple(rows), learnt, len(held_out), provenance, shown, examples.value_range
    )


def _adaptive(ready: Prepared, clean: _Group, data: Examples, settings: DefendSettings) -> list[Held]:
    """Return how the defence holds against attacks that know it; nothing if that is not asked for."""
    if not settings.adaptive:
        return []
    count = min(settings.adaptive_inputs, len(clean.labels))
    region = hunted_region(settings.region, data)
    if not isinstance(region, Normed):
        raise InvalidSetting(f"region must be a ball of a norm, linf:R or l2:R, got {settings.region}")
    holds = ready.withstands(clean.inputs[:count], clean.labels[:count], region, Evasion(settings.steps))
    return [Held(ready.text, ready.kind, ADAPTIVE, False, count, count, int(holds.sum()))]


def _several(given: str | Sequence[Any]) -> list[Any]:
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else list(given)


def defences_named(given: str | Sequence[Any]) -> list[tuple[str, Any]]:
    """Return detectors and transforms, each with its text."""
    known = {**dict.fromkeys(names("transform"), "transform"), **dict.fromkeys(names("defence"), "defence")}
    wanted = [*names("defence"), *names("transform")] if given == "all" else several(given)
    found: list[tuple[str, Any]] = []
    for one in wanted:
        if not isinstance(one, str):
            found.append((str(describe(one)["name"]), one))
            continue
        kind = known.get(specification(one).name.replace("-", "_").lower())
        if kind is None:
            raise UnknownName("defence", one, list(known))
        found.append((one, build(kind, one)))
    if len({text for text, _ in found}) < len(found):
        raise InvalidSetting("every defence must be named once")
    return found


def _defences_text(given: str | Sequence[Any]) -> str | None:
    """Return defences as the command names them, each with its settings; None if no command can name one of them."""
    if isinstance(given, str):
        return given
    # Two kinds stand in one list, and no name is in both.
    texts = [method_text("defence", one) or method_text("transform", one) for one in given]
    return None if None in texts else ",".join(map(str, texts))


def _clean(model: Classifier, data: Examples, count: int) -> _Group:
    inputs, labels = [], []
    for batch in data.batches(512):
        assert batch.labels is not None
        right = model.observe(batch.inputs).predicted == batch.labels
        inputs.append(batch.inputs[right])
        labels.append(batch.labels[right])
        if sum(map(len, labels)) >= min(count, len(data) // 2):
            break
    first, second = torch.cat(inputs)[:count], torch.cat(labels)[:count]
    if not len(first):
        raise InvalidData(f"{data.name}: {model.name} classifies no input correctly, so there is nothing to defend")
    return _Group("clean", False, first, second, second)


def _held_out(data: Examples, tested: int, settings: DefendSettings, attacked: set[str]) -> Examples:
    """Return the last inputs that are neither tested nor were attacked."""
    ids = data.ids()
    # Of those that are tested some were skipped as misclassified, hence the wide berth.
    free = [row for row in range(len(data) - 1, min(len(data), 2 * tested) - 1, -1) if ids[row] not in attacked]
    if len(free) < _LEAST:
        raise InvalidData(
            f"{data.name}: {len(free)} inputs are left to calibrate with beside those that are tested, and {_LEAST} "
            "are needed; test fewer (--inputs), or give more data"
        )
    return data.take(sorted(free[: settings.calibration]))


def _found(model: Classifier, campaign: Campaign) -> Iterator[_Group]:
    """Yield the first finding of every seed, method by method."""
    uncommon = campaign.plan.oracle.described.get("name") == "pattern"
    for label in campaign.plan.labels:
        rows: dict[str, dict[str, Any]] = {}
        for table in campaign.found(label):
            for row in table.to_pylist():
                rows.setdefault(row["seed_id"], row)
        if rows:
            held = [stored_array(row["input"], row["shape"], row["dtype"]) for row in rows.values()]
            inputs = torch.from_numpy(np.stack(held))
            labels = torch.tensor([row["before"] if row["label"] is None else row["label"] for row in rows.values()])
            extra = (
                f" {campaign.plan.oracle.described['pattern']}" if uncommon else f" in {Path(campaign.store.path).name}"
            )
            seen = (
                tuple(tuple(float(row[name]) for row in rows.values()) for name in ("pcs", "vro")) if uncommon else ()
            )
            yield _Group(f"{label}{extra}", uncommon, inputs, labels, model.observe(inputs).predicted, seen)


def _counts(group: _Group, right: Tensor) -> tuple[int, int, int]:
    return len(group.labels), int((group.predicted != group.labels).sum()), int(right.sum())
