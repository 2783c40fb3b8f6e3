"""Corrupt: accuracy against the severity of natural changes (Hendrycks and Dietterich, ICLR 2019)."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.conversion import converted, perturbed
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Perturbation
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.keywords import flat
from unnerve.core.progress import OnSteps, ShowProgress, steps_shown
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.natural import CHANGES, Natural
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.corrupt.changed_set import Keep, changed_set, check_changed_set
from unnerve.studies.corrupt.result import Corruption, Series
from unnerve.studies.corrupt.settings import CorruptSettings
from unnerve.subjects.joined import joined

__all__ = ["corrupt"]

_BLOCK = 256
_MOST = 5


@flat()
def corrupt(
    model: Any,
    data: Any,
    out: str | Path | None = None,
    *,
    settings: CorruptSettings,
    progress: ShowProgress = None,
) -> Corruption:
    """Measure how a model's accuracy falls as images change naturally: light, blur, rotation, compression, noise.

    Changed images are rounded to 8 bits, as a file would hold them, before the model gets them.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        Images. Without labels, answers are compared with those to unchanged images.
    out : path, optional
        An npz file for the changed images, which every verb can open.
    settings : CorruptSettings
        Its fields are given as keywords: ``changes="rotation,fog"``, ``severities="3"``, ``inputs=200``.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Corruption

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.corrupt("zoo:lenet5", "mnist5k", changes="rotation,fog", inputs=100)
    >>> found.at("rotation", 5).ci95, found.mean_corruption_error.mean

    References
    ----------
    Hendrycks and Dietterich, "Benchmarking Neural Network Robustness to Common Corruptions and Perturbations", 2019.
    """
    start = time.perf_counter()
    check_changed_set(out)
    subject, whole = joined(model, data)
    tested = whole.first(settings.inputs)
    _check_speech(tested, out is not None)
    names = _named(settings, tested)
    with (
        changed_set(out, tested, names, settings.levels) as keep,
        steps_shown(progress, "changing", "inputs") as on_steps,
    ):
        found = _measured(subject, tested, names, settings, (keep, on_steps))
    own = {} if out is None else {"out": str(out)}
    provenance = Provenance(called(corrupt, own, settings), opening_of(subject), opening_of(whole))
    place = None if out is None else str(out)
    return replace(found, out=place, seconds=time.perf_counter() - start, provenance=provenance)


def _named(settings: CorruptSettings, data: Examples) -> tuple[str, ...]:
    """Return the names of the changes that are asked for, or raise if one does not fit the data."""
    able = Natural().named(data.shape)
    if settings.natural == "all":
        return able
    asked = tuple(settings.natural.split("+"))
    strange = [one for one in asked if one not in able]
    if strange:
        raise InvalidSetting(f"changes must be all or some of {', '.join(able)}, got '{strange[0]}'")
    return asked


def _measured(
    model: Classifier,
    data: Examples,
    names: Sequence[str],
    settings: CorruptSettings,
    consumers: tuple[Keep, OnSteps],
) -> Corruption:
    keep, on_steps = consumers
    changes: list[Perturbation] = [build("perturbation", name) for name in names]
    levels = settings.levels
    right = np.zeros((len(data), len(names), len(levels)), bool)
    clean, expected = np.zeros(len(data), bool), np.zeros(len(data), np.int64)
    shown: list[Series | None] = [None] * len(names)
    accuracy, done = Accuracy({}, 0, data.classes), 0
    for batch in data.batches(_BLOCK):
        rows = slice(done, done + len(batch))
        seen = model.observe(batch.inputs)
        before = seen.predicted.cpu()
        wanted = before if batch.labels is None else batch.labels
        labels = None if batch.labels is None else batch.labels.numpy()
        accuracy += Accuracy.counted(before.numpy(), labels, seen.logits.shape[1])
        clean[rows], expected[rows] = torch.eq(before, wanted).numpy(), wanted.numpy()
        dice = Streams(settings.seed, batch.ids).uniform(0, 0, (len(CHANGES),))
        for place, (name, change) in enumerate(zip(names, changes, strict=True)):
            # A die of its own for every change, whichever others are asked for; the same at every severity, so that
            # an image at severity 3 is that of severity 2, only more so.
            die = dice[:, CHANGES.index(name)]
            copies = [_changed(change, batch, level, die) for level in levels]
            answers = torch.stack([model.observe(_values(one, batch)).predicted.cpu() for one in copies], dim=1)
            right[rows, place] = torch.eq(answers, wanted.unsqueeze(1)).numpy()
            for step, one in enumerate(copies):
                keep(place, step, done, one.numpy())
            told = torch.cat([before.unsqueeze(1), answers], dim=1)
            shown[place] = _shown(shown[place], batch, copies, (told, wanted))
        done += len(batch)
        on_steps(done, len(data))
    accuracy.tell(model.name)
    series = tuple(one for one in shown if one is not None)
    known = data.labels is not None
    return Corruption(
        *(model.name, data.name, tuple(names), levels, right, clean, expected, known, data.classes, series),
        value_range=data.value_range,
        doubts=accuracy.doubts,
    )


def _check_speech(data: Examples, kept: bool) -> None:
    """Raise if sounds are to be changed in a way, or kept in a form, that is for images only."""
    if data.clips is not None and data.clips.form != "waveform":
        raise InvalidSetting(f"natural changes of speech are of waveforms, got {data.name} as log-mel features")
    if data.clips is not None and kept:
        raise InvalidSetting(f"--out keeps changed images, got speech, {data.name}")


def _changed(change: Perturbation, batch: Batch, level: int, die: Tensor) -> Tensor:
    """Return changed images as 8-bit files hold them, uint8 (N, C, H, W); sounds as they are, in floating point."""
    parameters = torch.stack([torch.full_like(die, level / _MOST), die], dim=1).unsqueeze(1)
    made = perturbed(change, batch.inputs, parameters, batch.value_range).squeeze(1)
    if made.ndim == 2:
        return made  # files of sounds hold 16 bits or more: rounded to 8, a quiet clip would be noise
    return converted(made, batch.value_range, UNIT).mul(255).round_().clamp_(0, 255).to(torch.uint8)


def _values(pixels: Tensor, batch: Batch) -> Tensor:
    """Return the values that whoever opens the file gives to the model."""
    return pixels if pixels.is_floating_point() else converted(pixels.float().div_(255), UNIT, batch.value_range)


def _shown(known: Series | None, batch: Batch, copies: Sequence[Tensor], told: tuple[Tensor, Tensor]) -> Series:
    """Return the example of a change: the first right answer that it turns; the first input until one is found."""
    answers, wanted = told
    if known is not None and known.turned:
        return known
    turned = torch.eq(answers[:, 0], wanted) & (answers != answers[:, :1]).any(dim=1)
    if known is not None and not bool(turned.any()):
        return known
    row = int(turned.int().argmax())
    images = torch.cat([batch.inputs[row : row + 1], *(_values(one[row : row + 1], batch) for one in copies)])
    return Series(batch.ids[row], images.numpy(), tuple(answers[row].tolist()), bool(turned[row]))
