"""Harden: train a network on what was found, and prove what that changed."""

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import noted, opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.naming.keywords import flat
from unnerve.core.progress import steps_shown
from unnerve.core.storage.files import whole_file
from unnerve.measure.robustness.clever import Clever
from unnerve.mend.repairs._repair import Repair
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.hunted_model import as_hunted
from unnerve.studies.harden._chosen import Chosen, chosen
from unnerve.studies.harden._compared import compared
from unnerve.studies.harden._measured import Measuring
from unnerve.studies.harden._repaired import Kept, repaired, right_answers
from unnerve.studies.harden.result import Hardening
from unnerve.studies.harden.settings import HardenRun, HardenSettings
from unnerve.studies.hunt._region import hunted_region
from unnerve.studies.hunt.settings import HuntSettings
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.adapters.trainable import trainable_copy
from unnerve.subjects.data import further_labelled
from unnerve.subjects.joined import joined

__all__ = ["harden"]


@flat()
def harden(
    model: Any,
    data: Any,
    from_: str | Path | Campaign,
    out: str | Path = "runs/harden",
    *,
    settings: HardenSettings,
    run: HardenRun,
) -> Hardening:
    """Train a network further on the findings of a campaign, and measure what that changed.

    Before and after are measured on the same fresh inputs with the same random numbers: inputs of DATA that are neither
    seeds of the campaign nor trained on nor used to decide when to stop, attacked anew. Of all epochs the last one is
    kept that loses no more clean accuracy on the validation set than ``tolerance``.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        A network whose weights can be trained, and labelled data that it was not trained on.
    from_ : Campaign, or where it is
        Of hunts for errors of this network, with labels.
    out : path
        Folder of weights, both campaigns of attacks, and the report.
    settings : HardenSettings
        How it is hardened and measured; its fields are given as keywords: ``repair="retrain:epochs=5"``, ``inputs=50``.
    run : HardenRun
        How to run it; its fields are given as keywords: ``resume=True``, ``progress=True``.

    Returns
    -------
    Hardening

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.hunt("zoo:lenet5", "mnist5k", "pgd", "runs/first", region="linf:0.2", inputs=500)
    >>> unnerve.harden("zoo:lenet5", "mnist5k", found, "runs/mended").headline()
    """
    start = time.perf_counter()
    subject, whole = _trainable(model, data)
    errors = from_ if isinstance(from_, Campaign) else Campaign.at(from_)
    _check_range(errors, whole)
    repair: Repair = build("repair", settings.repair)
    clever = _clever(settings)
    parts = _parts(errors, repair, whole, settings)
    region = hunted_region(settings.region or errors.region, parts.fresh)
    hunt = HuntSettings(region=region, inputs=settings.inputs, stop_at_first=True, seed=settings.seed)
    work = Measuring(parts, errors, clever, hunt, settings, Path(out), run)
    before = work.measured(subject, "before")
    with steps_shown(run.progress, "training", "steps") as on_steps:
        mended, kept = repaired(subject, parts, repair, region, settings, Path(out), on_steps)
    _check_answers(mended, parts, repair, settings)
    # Opened as the original was: the second hunt's plan notes how its model was opened, and this one is a copy in
    # memory.
    after = work.measured(noted(mended, opening_of(subject)), "after")
    call = called(harden, {"from_": errors.store.path, "out": str(out)}, settings)
    found = Hardening(
        model=subject.name,
        data=whole.name,
        campaign=errors.store.path,
        repair=command_text(repair),
        region=command_text(region),
        **compared(before, after, parts, settings.inputs, clever.radius),
        training=_training(parts, kept, settings),
        weights=str(Path(out) / "weights.safetensors"),
        out=str(out),
        provenance=Provenance(call, opening_of(subject), opening_of(whole)),
    )
    other = errors.plan.model.hash != as_hunted(subject, errors.plan).identity(whole.shape)
    said = (f"{errors.store.path} was a hunt on another model than {subject.name}",) if other else ()
    warned = (*parts.warnings, *said, *_warnings(found, kept, settings))
    found = replace(found, warnings=warned, seconds=time.perf_counter() - start)
    with whole_file(Path(out) / "harden.json") as part:
        part.write_text(json.dumps(found.summary(), indent=1))
    return found


def _trainable(model: Any, data: Any) -> tuple[TorchModule, Examples]:
    """Open model and data, or raise before anything is run if one cannot be trained or the other has no labels."""
    subject, whole = joined(model, data)
    # Made to be thrown away: what cannot be trained is refused here, not after the attacks on the network as it is.
    trainable_copy(subject)
    assert isinstance(subject, TorchModule)
    if whole.labels is None:
        raise InvalidData(f"{whole.name}: hardening needs labels, to measure what it changes")
    return subject, whole


def _clever(settings: HardenSettings) -> Clever:
    clever = build("robustness measure", settings.clever)
    if not isinstance(clever, Clever):
        raise InvalidSetting(f"--clever must be clever with its settings, got {describe(clever)['name']}")
    # The random seed of the verb decides, unless the measure was given one of its own.
    return clever if clever.seed else replace(clever, seed=settings.seed)


def _parts(errors: Campaign, repair: Repair, whole: Examples, settings: HardenSettings) -> Chosen:
    benign = None if settings.train is None else further_labelled(settings.train, whole, "train")
    held = None if settings.validation is None else further_labelled(settings.validation, whole)
    return chosen(errors, repair, whole, benign, (held, settings.validation_inputs))


def _check_range(errors: Campaign, data: Examples) -> None:
    if errors.value_range != data.value_range:
        raise InvalidSetting(
            f"{errors.store.path} holds values in {errors.value_range}, but {data.name} in {data.value_range}"
        )


def _check_answers(mended: TorchModule, parts: Chosen, repair: Repair, settings: HardenSettings) -> None:
    """Raise if the repaired network answers nothing correctly: attacks would have nothing to begin from."""
    tried = parts.fresh.first(settings.inputs)
    if not bool(right_answers(mended, tried).any()):
        raise InvalidSetting(
            f"the repaired network answers none of {len(tried)} fresh inputs correctly, so there is nothing to attack: "
            f"a smaller rate of {command_text(repair)} or a smaller --tolerance, now {settings.tolerance:g}, loses less"
        )


def _training(parts: Chosen, kept: Kept, settings: HardenSettings) -> dict[str, Any]:
    return {
        "benign": parts.benign,
        "findings": parts.findings,
        "epochs": kept.epochs,
        "kept_epoch": kept.epoch,
        "validation_before": kept.before,
        "validation_after": kept.after,
        "tolerance": settings.tolerance,
    }


def _warnings(found: Hardening, kept: Kept, settings: HardenSettings) -> list[str]:
    said = []
    if kept.epoch == 0:
        said.append(
            f"every epoch lost more than {settings.tolerance:g} of clean accuracy on the validation set, so that the "
            "weights are those before; a lower rate or more benign inputs may help"
        )
    count, asked = found.counts["clever"], min(settings.clever_inputs, found.counts["fresh"])
    if count < asked:
        said.append(
            f"CLEVER's change is of {count} of {asked} inputs: the others are answered with its target already, by the "
            "network before or after"
        )
    lost = -found.accuracy.change.mean
    if lost > settings.tolerance:
        said.append(
            f"on fresh inputs {lost:.3g} of clean accuracy is lost, more than the tolerated {settings.tolerance:g}"
        )
    return said
