"""Map: confidence and dropout uncertainty of the seeds and the findings of a campaign."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_array
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidData
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Classifier, Stochastic, require
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import several
from unnerve.core.patterns import Thresholds
from unnerve.core.progress import OnSteps, steps_shown
from unnerve.measure.scores.margin import margin
from unnerve.measure.scores.mutual_information import mutual_information
from unnerve.measure.scores.predictive_entropy import predictive_entropy
from unnerve.measure.scores.vr import vr
from unnerve.measure.scores.vro import vro
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt.deadlines import answers_awaited
from unnerve.studies.hunt.hunt import CampaignRequest, hunters_text, run_campaign
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.map.result import METRICS, Group, UncertaintyMap
from unnerve.studies.map.settings import MapSettings
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.joined import joined

__all__ = ["map", "try_draws", "uncertainty_map"]

# Probabilities in memory at once: draws x inputs x classes, 64 MB in double precision.
_ELEMENTS = 8_000_000
_STEPS = (5, 10, 20, 30, 50, 100)


@dataclass(frozen=True)
class _Picked:
    """Inputs of a group before they are measured."""

    ids: list[str]
    seed_ids: list[str]
    labels: list[int]
    inputs: list[np.ndarray]


@flat()
def map(  # noqa: A001 - the verb's name; nothing here maps a function
    model: Any,
    data: Any,
    attacks: str | Sequence[Any] = "fgsm,bim,deepfool,pgd",
    out: str | Path = "runs/map",
    *,
    settings: HuntSettings,
    dropout: DropoutSettings,
    view: MapSettings,
    run: RunSettings,
) -> UncertaintyMap:
    """Attack a model, and map its inputs and the attacks' findings by confidence and uncertainty under dropout.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    attacks : str, or sequence of str or Hunter
        Hunters with their settings.
    out : str
        Folder of the attacks' campaign, and of the map's table ``map.parquet``.
    settings : HuntSettings
        Of the attacks; its fields are given as keywords: ``region="linf:0.3"``, ``inputs=100``.
    dropout : DropoutSettings
        Of the draws; its fields are given as keywords: ``dropout="vro=0.3"``, ``draws=50``.
    view : MapSettings
        How the map is read; its fields are given as keywords: ``thresholds="0.3,0.7,0.4,0.6"``.
    run : RunSettings
        How to run it; its fields are given as keywords: ``resume=True``, ``progress=True``.

    Returns
    -------
    UncertaintyMap

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.map("zoo:lenet5", "mnist5k", "pgd", "runs/map", dropout=0.4, region="linf:0.2", inputs=20)
    >>> found.patterns()
    """
    named = several(attacks)
    subject, inputs = joined(model, data)
    drawn = dropping(subject, inputs, dropout, settings.seed)
    # The hunt takes minutes; what is wrong with the dropout is said before it.
    try_draws(drawn, inputs, dropout.count, settings.seed)
    own = {"attacks": hunters_text(named), "out": str(out)}
    seen = replace(view, thresholds=view.limits.text)  # in words, whatever they were given as
    provenance = Provenance(called(map, own, seen, settings, dropout), opening_of(subject), opening_of(inputs))
    campaign = run_campaign(subject, inputs, CampaignRequest(named, str(out), call=provenance.call), settings, run)
    with answers_awaited(run), steps_shown(bool(run.progress), "drawing", "inputs") as on_steps:
        found = uncertainty_map(
            drawn, campaign, draws=dropout.count, thresholds=view.limits, seed=settings.seed, progress=on_steps
        )
    found = replace(found, provenance=provenance)
    found.save(found.table_path)
    return found


def try_draws(model: Classifier, data: Examples, draws: int, seed: int = 0) -> None:
    """Draw for one input, so that what cannot be drawn is refused before a long hunt and not after it."""
    require(model, Capability.DROPOUT, "map")
    assert isinstance(model, Stochastic)
    first = data.batch(range(1))
    model.samples(first.inputs, Masks(seed, first.ids, draws))


def uncertainty_map(
    model: Classifier,
    campaign: Campaign,
    *,
    draws: int = 50,
    thresholds: Thresholds | None = None,
    seed: int = 0,
    progress: OnSteps = lambda done, total: None,
) -> UncertaintyMap:
    """Measure the seeds and the findings of a campaign.

    Parameters
    ----------
    model : Classifier
        With Monte-Carlo dropout.
    campaign : Campaign
        Of attacks on the same model; of each method and seed the finding with the smallest L2 change and the one with
        the largest margin are taken.
    draws : int
        T, dropout draws per input.
    thresholds : Thresholds, optional
    seed : int
        Of the masks.
    progress : callable (inputs done, inputs in all)

    Returns
    -------
    UncertaintyMap
    """
    require(model, Capability.DROPOUT, "map")
    assert isinstance(model, Stochastic)
    picked = {"benign": _benign(campaign), **_adversarial(campaign)}
    if not picked["benign"].ids:
        raise InvalidData(f"{campaign.store.path}: no input has been attacked yet, so there is nothing to map")
    total, done = sum(len(group.ids) for group in picked.values()), 0
    groups = {}
    for name, some in picked.items():
        parts = []
        for part in _measured(model, some, draws, seed):
            parts.append(part)
            done += len(part["predicted"])
            progress(done, total)
        groups[name] = _group(name, some, parts, draws)
    dropout = _dropout(model, torch.from_numpy(np.stack(picked["benign"].inputs[:1])))
    return UncertaintyMap(campaign, groups, thresholds or Thresholds(), draws, dropout)


def _dropout(model: Classifier, x: Tensor) -> str:
    """Say how a model drops out."""
    if not isinstance(model, TorchModule):
        return "the model's own"
    rate, places = model.dropout.rate, model.dropout_points(x)
    return f"{'its own rate' if rate is None else f'{rate:.3g}'} at {', '.join(places) or 'its own places'}"


def _benign(campaign: Campaign) -> _Picked:
    seeds = [seed for one in campaign.tallies.values() for seed in one.seeds if seed.failed is None]
    # Once each, in the order of the plan: every method was given the same seeds.
    names = list(dict.fromkeys(seed.id for seed in seeds))
    inputs, labels = campaign.store.seeds(names), campaign.store.labels()
    known = [labels[name] for name in names]
    return _Picked(names, names, [-1 if label is None else label for label in known], [inputs[name] for name in names])


def _adversarial(campaign: Campaign) -> dict[str, _Picked]:
    """Return of each method the smallest and the strongest finding of every seed; one group if they are the same."""
    chosen = _extremes(campaign)
    wanted = {(label, name) for label, extremes in chosen.items() for names in extremes.values() for name in names}
    rows = {
        (row["method"], row["id"]): row
        for _, table, _ in campaign.store.shards()
        for row in table.to_pylist()
        if (row["method"], row["id"]) in wanted
    }
    return {
        name: _picked([rows[label, one] for one in names])
        for label, extremes in chosen.items()
        for name, names in extremes.items()
    }


def _extremes(campaign: Campaign) -> dict[str, dict[str, list[str]]]:
    """Return by method the ids of every seed's smallest and strongest finding, after one look at all shards."""
    smallest: dict[str, dict[str, tuple[float, str]]] = {label: {} for label in campaign.plan.labels}
    strongest: dict[str, dict[str, tuple[float, str]]] = {label: {} for label in campaign.plan.labels}
    for _, table, _ in campaign.store.shards(["id", "seed_id", "method", "l2", "margin"]):
        for row in table.to_pylist():
            label, seed, name = row["method"], row["seed_id"], row["id"]
            smallest[label][seed] = min(smallest[label].get(seed, (np.inf, "")), (row["l2"], name))
            strongest[label][seed] = min(strongest[label].get(seed, (np.inf, "")), (-row["margin"], name))
    return {label: _groups(label, smallest[label], strongest[label]) for label in campaign.plan.labels}


def _groups(
    label: str, smallest: dict[str, tuple[float, str]], strongest: dict[str, tuple[float, str]]
) -> dict[str, list[str]]:
    first, second = ([name for _, name in some.values()] for some in (smallest, strongest))
    return {label: first} if first == second else {f"{label}, smallest": first, f"{label}, strongest": second}


def _picked(rows: Sequence[Mapping[str, Any]]) -> _Picked:
    return _Picked(
        [row["id"] for row in rows],
        [row["seed_id"] for row in rows],
        [-1 if row["label"] is None else row["label"] for row in rows],
        [stored_array(row["input"], row["shape"], row["dtype"]) for row in rows],
    )


def _measured(model: Stochastic, some: _Picked, draws: int, seed: int) -> Iterator[dict[str, np.ndarray]]:
    start = 0
    # Nobody knows the number of classes before the first block; later blocks fill the memory meant for them.
    size = 64
    while start < len(some.ids):
        x = torch.from_numpy(np.stack(some.inputs[start : start + size]))
        seen = model.observe(x)
        sampled = model.samples(x, Masks(seed, tuple(some.ids[start : start + size]), draws))
        probabilities = seen.probabilities
        yield {
            "pcs": _array(1 - margin(probabilities)),
            "vro": _array(vro(sampled, probabilities)),
            "vr": _array(vr(sampled)),
            "predictive_entropy": _array(predictive_entropy(sampled)),
            "mi": _array(mutual_information(sampled)),
            "predicted": seen.predicted.cpu().numpy(),
            **{f"vro{step}": _array(vro(sampled[:step], probabilities)) for step in _STEPS if step < draws},
        }
        start += len(x)
        size = int(np.clip(_ELEMENTS // (draws * probabilities.shape[1]), 1, 512))


def _array(values: Tensor) -> np.ndarray:
    found: np.ndarray = values.double().cpu().numpy()
    return found


def _group(name: str, some: _Picked, parts: Sequence[Mapping[str, np.ndarray]], draws: int) -> Group:
    def column(key: str) -> np.ndarray:
        return np.concatenate([part[key] for part in parts]) if parts else np.empty(0)

    early = {step: column(f"vro{step}") for step in _STEPS if step < draws}
    figures = {metric: column(metric) for metric in METRICS}
    predicted, label = column("predicted").astype(int), np.array(some.labels, dtype=int)
    return Group(name, tuple(some.ids), tuple(some.seed_ids), figures, label, predicted, early)
