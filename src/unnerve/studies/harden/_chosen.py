"""What a network is trained on, what decides when to stop, and what the change is measured on: nothing is in two."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from unnerve.campaign.inputs import stored_inputs
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.mend.repairs._repair import Repair
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.train import without
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["Chosen", "chosen", "found_batches", "labelled_seeds"]

_STORED = ["id", "seed_id", "label", "step", "input", "shape", "dtype"]


@dataclass(frozen=True, eq=False)
class Chosen:
    """The parts of the data.

    Parameters
    ----------
    training : Examples
        Benign inputs and findings.
    benign, findings : int
        How many of each.
    trained_on : frozenset of str
        Ids of the findings among them.
    validation, fresh : Examples
        What decides when to stop, and what the change is measured on.
    warnings : tuple of str
    """

    training: Examples
    benign: int
    findings: int
    trained_on: frozenset[str]
    validation: Examples
    fresh: Examples
    warnings: tuple[str, ...] = ()


def chosen(
    campaign: Campaign, repair: Repair, data: Examples, benign: Examples | None, validation: tuple[Examples | None, int]
) -> Chosen:
    """Divide the data.

    Parameters
    ----------
    campaign : Campaign
    repair : Repair
        Says how many inputs it wants.
    data : Examples
        Inputs that the network was not trained on.
    benign : Examples or None
        Benign inputs to train on instead of the findings' seeds.
    validation : Examples or None, and int
        Of the user; if None so many of the data.
    """
    seeds = labelled_seeds(campaign, data)
    picked = _picked(campaign, repair.findings) if repair.learns_from_findings else {}
    if repair.learns_from_findings and not picked:
        raise InvalidData(f"{campaign.store.path}: no error was found, so there is nothing to train on")
    own = benign if benign is not None else _seeds_of(seeds, set(picked.values()))
    own = own.first(repair.benign)
    inputs, labels = _found(campaign, set(picked), data)
    training = _together(own, inputs, labels, data)
    # All seeds, not only those that are trained on: the campaign's attacks were chosen on them.
    known = seeds if benign is None else tensors_of([seeds, own], data)
    fresh, held, said = _measured(without_all(_not_looked_at(campaign, seeds, data), known), known, *validation)
    return Chosen(training, len(own), len(inputs), frozenset(picked), held, fresh, said)


def labelled_seeds(campaign: Campaign, like: Examples) -> Examples:
    """Return the seeds of a campaign as data, or raise if they have no labels."""
    labels = campaign.store.labels()
    if any(label is None for label in labels.values()):
        raise InvalidData(f"{campaign.store.path}: its inputs have no labels, so that nobody knows what to teach")
    blocks = list(campaign.store.seed_blocks())
    names = [name for some, _ in blocks for name in some]
    inputs = torch.from_numpy(np.concatenate([block for _, block in blocks]))
    return replace(_data(inputs, torch.tensor([labels[name] for name in names]), like), names=names)


def found_batches(campaign: Campaign) -> Iterator[tuple[list[str], Tensor, Tensor]]:
    """Yield ids, inputs and labels of all findings, a shard at a time."""
    for label in campaign.plan.labels:
        for table in campaign.found(label, _STORED):
            if table.num_rows:
                classes = torch.tensor(table["label"].to_pylist(), dtype=torch.int64)
                yield table["id"].to_pylist(), torch.from_numpy(stored_inputs(table)), classes


def _picked(campaign: Campaign, count: int) -> dict[str, str]:
    """Return ids of findings with their seeds': the last one of each seed and method first, then the ones before."""
    ranked: list[tuple[int, int, str, str]] = []
    for method, label in enumerate(campaign.plan.labels):
        by_seed: dict[str, list[tuple[int, str]]] = {}
        for table in campaign.found(label, ["id", "seed_id", "step"]):
            for row in table.to_pylist():
                by_seed.setdefault(row["seed_id"], []).append((row["step"], row["id"]))
        for seed, some in by_seed.items():
            last_first = sorted(some, key=lambda one: -one[0])
            ranked += [(place, method, name, seed) for place, (_, name) in enumerate(last_first)]
    # Stable: within a rank, methods in the plan's order and seeds in theirs; equal findings of two methods count once.
    ranked.sort(key=lambda one: one[:2])
    # Reversed, so that of equal findings the first method's seed is kept.
    unique = {name: seed for _, _, name, seed in reversed(ranked)}
    order = list(dict.fromkeys(name for _, _, name, _ in ranked))
    return {name: unique[name] for name in order[:count]}


def _seeds_of(seeds: Examples, wanted: set[str]) -> Examples:
    """Return the seeds, those of the chosen findings first."""
    names = seeds.ids()
    order = [row for row, name in enumerate(names) if name in wanted]
    return seeds.take([*order, *(row for row, name in enumerate(names) if name not in wanted)])


def _found(campaign: Campaign, wanted: set[str], like: Examples) -> tuple[Tensor, Tensor]:
    parts: list[tuple[Tensor, Tensor]] = []
    seen: set[str] = set()
    for names, inputs, labels in found_batches(campaign) if wanted else ():
        rows = [row for row, name in enumerate(names) if name in wanted and name not in seen]
        seen.update(names[row] for row in rows)
        parts.append((inputs[rows], labels[rows]))
    if not parts:
        return torch.empty(0, *like.shape), torch.empty(0, dtype=torch.int64)
    return torch.cat([one for one, _ in parts]), torch.cat([one for _, one in parts])


def _together(benign: Examples, inputs: Tensor, labels: Tensor, like: Examples) -> Examples:
    batch = benign.batch(range(len(benign)))
    if batch.labels is None:
        raise InvalidData(f"{benign.name}: training needs labels")
    return _data(torch.cat([batch.inputs, inputs]), torch.cat([batch.labels, labels]), like)


def _not_looked_at(campaign: Campaign, seeds: Examples, data: Examples) -> Examples:
    """Return what lies behind the last seed, if the seeds are from these data; all of the data if not."""
    # What a hunt passed over was answered wrongly. Measured, or validated on, it would make any other weights look
    # like progress.
    looked_at = min(campaign.plan.data.details.get("looked_at", 0), len(data))
    places = {name: row for row, name in enumerate(data.take(range(looked_at)).ids())} if looked_at else {}
    if not all(name in places for name in seeds.ids()):
        return data
    there = data.batch([places[name] for name in seeds.ids()]).inputs
    if not torch.equal(there, seeds.batch(range(len(seeds))).inputs):
        return data
    if looked_at == len(data):
        why = "seeds of the campaign, or were passed over for it because they are answered wrongly"
        raise InvalidData(f"{data.name}: all inputs are {why}; the change needs others to be measured")
    return data.take(range(looked_at, len(data)))


def tensors_of(parts: Sequence[Examples], like: Examples) -> Examples:
    """Return several data sets as one, in memory."""
    batches = [part.batch(range(len(part))) for part in parts]
    labels = [one.labels for one in batches if one.labels is not None]
    return _data(torch.cat([one.inputs for one in batches]), torch.cat(labels), like)


def _data(inputs: Tensor, labels: Tensor, like: Examples) -> Examples:
    made = tensors(inputs.float(), labels.numpy(), name="training data")
    return replace(made, value_range=like.value_range, classes=like.classes)


def without_all(data: Examples, known: Examples, why: str = "seeds of the campaign or trained on") -> Examples:
    """Return the data without inputs that are known, or raise and say why if nothing is left."""
    try:
        return replace(without(data, known), name=data.name)
    except InvalidData as problem:
        raise InvalidData(f"{data.name}: all inputs are {why}; the change needs others to be measured") from problem


def _measured(
    rest: Examples, known: Examples, given: Examples | None, count: int
) -> tuple[Examples, Examples, tuple[str, ...]]:
    """Return fresh inputs, the validation set, and what is odd about it."""
    if given is None:
        # Of few inputs no more than half, or nothing would be left to measure on.
        held = min(count, len(rest) // 2)
        if held == 0:
            raise InvalidData(f"{rest.name}: one input is left beside the seeds; validation and measurement need two")
        return rest.take(range(held, len(rest))), rest.take(range(held)), ()
    if given.labels is None:
        raise InvalidData(f"{given.name}: validation needs labels")
    own = without_all(given, known)
    overlap = len(given) - len(own)
    said = (f"{overlap} of {len(given)} inputs of {given.name} are seeds or trained on; validation leaves them out",)
    fresh = without_all(rest, own, "seeds of the campaign, trained on, or used for validation")
    return fresh, own, said if overlap else ()
