"""Attack success: the share of correctly answered inputs that an attack, or one of several, breaks."""

import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from scipy import stats

from unnerve.core.data.class_names import class_called
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.core.methods import Hunter
from unnerve.core.model import Capability, Classifier, Differentiable
from unnerve.core.naming.catalogue import build
from unnerve.generate.attacks._goal import Goal
from unnerve.generate.attacks.foreign.foreign import adopted
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import CampaignRequest, run_campaign
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.score.result import Robustness, Scored

__all__ = ["attack_success", "default_attacks"]

_ZERO_GRADIENTS = 0.1
_SURE = 0.05


def default_attacks(model: Classifier) -> list[str]:
    """Return the attacks that are tried if none is named: the strongest that the model's capabilities allow."""
    return ["apgd", "square", "deepfool"] if Capability.GRADIENTS in model.offers else ["square"]


def attack_success(
    model: Classifier, data: Examples, attacks: Sequence[Any], settings: HuntSettings, run: RunSettings
) -> Robustness:
    """Attack every input that is answered correctly, or every input without labels.

    Parameters
    ----------
    model : Classifier
    data : Examples
    attacks : sequence of str or Hunter
    settings : HuntSettings
        Of the attacks; ``inputs`` is the number of inputs, right or wrong.
    run : RunSettings

    Returns
    -------
    Robustness
        Its mean is that of the worst case: an input is broken if one attack breaks it.
    """
    chosen = data.first(settings.inputs)
    with tempfile.TemporaryDirectory(prefix="unnerve") as folder:
        campaign = run_campaign(model, chosen, CampaignRequest(attacks, f"{folder}/attacks"), settings, run)
        broken = _broken(campaign)
        region, accuracy = campaign.region, campaign.accuracy
    if not next(iter(broken.values())):
        raise InvalidData(f"{data.name}: no input could be attacked")
    # Of the inputs of the first attack: all were given the same ones, those that are answered correctly.
    worst = {name: any(some.get(name, False) for some in broken.values()) for name in next(iter(broken.values()))}
    scored = _scored(chosen, worst, broken)
    labels = dict(zip(chosen.ids(), label_names(chosen), strict=True))
    classes = sorted({labels[name] for name in worst}, key=str)
    parts = {"attack": {label: _share(some) for label, some in broken.items()}}
    if chosen.labels is not None:
        parts["class"] = {
            one: _share({name: hit for name, hit in worst.items() if labels[name] == one}) for one in classes
        }
    return Robustness(
        model.name,
        data.name,
        "attack_success",
        _share(worst),
        scored,
        parts,
        tuple(_masked(model, chosen, attacks, broken)),
        {
            "region": region,
            "attacks": list(broken),
            "robust_accuracy": 1 - sum(one.value for one in scored) / len(scored),
        },
        doubts=() if accuracy is None else accuracy.doubts,
    )


def label_names(data: Examples) -> list[str]:
    """Return the name of each input's class; nothing to tell them apart without labels."""
    labels = data.label_array()
    if labels is None:
        return [""] * len(data)
    return [class_called(data.classes, label) for label in labels.tolist()]


def _broken(campaign: Campaign) -> dict[str, dict[str, bool]]:
    """Return which inputs each attack breaks, of those that it could be tried on."""
    return {
        label: {seed.id: bool(seed.errors) for seed in one.seeds if seed.failed is None}
        for label, one in campaign.tallies.items()
    }


def _share(broken: Mapping[str, bool]) -> Interval:
    return proportion(sum(broken.values()), len(broken))


def _scored(data: Examples, worst: Mapping[str, bool], broken: Mapping[str, Mapping[str, bool]]) -> tuple[Scored, ...]:
    known, found = data.labels is not None, []
    for name in data.ids():
        each = {label: some.get(name) for label, some in broken.items()}
        # What was not attacked was answered wrongly to begin with.
        found.append(Scored(name, float(worst.get(name, True)), (name in worst) if known else None, each))
    return tuple(found)


def _masked(
    model: Classifier, data: Examples, attacks: Sequence[Any], broken: Mapping[str, Mapping[str, bool]]
) -> list[str]:
    """Say what hints at gradients that lead attacks astray, after Athalye et al., "Obfuscated Gradients", 2018."""
    hunters: list[Hunter] = [build("hunter", adopted(one)) for one in attacks]
    blind = [some for one, some in zip(hunters, broken.values(), strict=True) if not one.needs & Capability.GRADIENTS]
    steep = [some for one, some in zip(hunters, broken.values(), strict=True) if one.needs & Capability.GRADIENTS]
    said = []
    if blind and steep:
        ours, theirs = ({name for some in side for name, hit in some.items() if hit} for side in (blind, steep))
        alone = len(ours - theirs), len(theirs - ours)
        # An attack that may look at gradients should break more than one that may not.
        if sum(alone) and stats.binomtest(alone[0], sum(alone), alternative="greater").pvalue < _SURE:
            said.append(
                f"gradients look masked: attacks without them break {alone[0]} inputs that the others do not, the "
                f"others {alone[1]} that they do not"
            )
    flat = _zero_gradients(model, data) if steep else 0.0
    if flat > _ZERO_GRADIENTS:
        said.append(f"gradients look masked: those of the loss are zero at {100 * flat:.0f} % of the inputs")
    return said


def _zero_gradients(model: Classifier, data: Examples) -> float:
    assert isinstance(model, Differentiable)
    zero = 0
    for batch in data.batches(256):
        classes = model.observe(batch.inputs).predicted
        _, gradients, _ = model.gradient(batch.inputs, Goal(classes, targeted=False).loss, classes)
        zero += int(torch.eq(gradients.flatten(1).abs().amax(dim=1), 0).sum())
    return zero / len(data)
