"""Diagnose: whether a model was trained on polluted data, too little, or too much."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import torch
from scipy import stats
from torch import Tensor

from unnerve.core.data.class_names import class_called
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.naming.keywords import flat
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.results import Result
from unnerve.core.streams import Streams
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.diagnose.settings import DiagnoseSettings
from unnerve.subjects.data import further_labelled
from unnerve.subjects.joined import joined

__all__ = ["Diagnosis", "diagnose"]

_HALF = 0.5
_CLASSES = 3


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What stands out in a model, or that nothing does.

    Parameters
    ----------
    model, data : str
    fault : str or None
        ``polluted``, ``overfitted``, ``underfitted``; None if nothing stands out.
    polluted_class : str or None
        The class that patched inputs collapse into, if the model is polluted.
    p_values : dict of str to float
        Of each fault that was looked for, corrected for the number of classes: pollution in images of three or more
        classes, under- and overfitting with training data.
    figures : dict of str to float
        What the tests rest on: accuracies, the share of patched inputs that change, and the share of those that go to
        the most frequent class; with training data also the gap that is tolerated.
    accuracy : Accuracy or None
        On the data.
    """

    model: str
    data: str
    fault: str | None
    polluted_class: str | None
    p_values: Mapping[str, float]
    figures: Mapping[str, float]
    provenance: Provenance | None = None
    accuracy: Accuracy | None = None

    def headline(self) -> str:
        """Return what stands out, in one line."""
        looked = ", ".join(f"{name} p = {value:.2g}" for name, value in self.p_values.items())
        where = "" if self.polluted_class is None else f", class {self.polluted_class}"
        return f"{self.model}: {self.fault or 'nothing stands out'}{where} ({looked}){self._apart()}"

    def _apart(self) -> str:
        """Say how far both accuracies are apart, and what was tolerated; nothing without training data."""
        if "train_accuracy" not in self.figures:
            return ""
        trained, tested = (f"{100 * self.figures[name]:.1f} %" for name in ("train_accuracy", "accuracy"))
        tolerated = f"{100 * self.figures['gap']:g} points more are no overfitting (gap)"
        return f"; {trained} right on training data, {tested} on {self.data}; {tolerated}"

    def table(self) -> pa.Table:
        """Return one row per fault that was looked for."""
        rows = [{"fault": name, "p": value, "named": name == self.fault} for name, value in self.p_values.items()]
        return pa.Table.from_pylist(rows)

    def summary(self) -> dict[str, Any]:
        """Return the figures, as JSON."""
        found = {"fault": self.fault, "polluted_class": self.polluted_class, "p_values": dict(self.p_values)}
        known = {} if self.accuracy is None else self.accuracy.figures()
        return {"model": self.model, "data": self.data, **found, **self.figures, **known}


@flat("train")
def diagnose(model: Any, data: Any, *, settings: DiagnoseSettings, progress: ShowProgress = None) -> Diagnosis:
    """Say whether a model looks as if its training data were polluted, or as if it was under- or overfitted.

    Images are stamped with patches of noise. If most of those that are then answered wrongly collapse into one class,
    patched training images were labelled so. Only faults of that kind are seen: patches of noise at random places.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        Data with labels that the model was not trained on.
    settings : DiagnoseSettings
        Its fields are given as keywords: ``inputs=5000``, ``reachable=0.9``; what the model was trained on, ``train``,
        also as third argument.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import unnerve
    >>> unnerve.diagnose("zoo:lenet5", "mnist5k", inputs=200).fault is None
    True
    """
    subject, whole = joined(model, data)
    tested, known = whole.first(settings.inputs), None
    stamped = _may_show_pollution(subject, tested)
    if not stamped and settings.train is None:
        raise InvalidSetting(
            "pollution is looked for in images of three or more classes; give --train, what the model was trained on, "
            "to look for under- and overfitting"
        )
    if settings.train is not None:
        known = further_labelled(settings.train, whole, "train").first(settings.inputs)
    total = len(tested) + (0 if known is None else len(known))
    with steps_shown(progress, "diagnosing", "inputs") as on_steps:
        accuracy, landed = _looked_at(subject, tested, settings, lambda done: on_steps(done, total), stamped)
        seen = None
        if known is not None:
            seen, _ = _looked_at(
                subject, known, settings, lambda done: on_steps(len(tested) + done, total), stamped=False
            )
    accuracy.tell(subject.name)
    figures: dict[str, float] = {"accuracy": accuracy.right / accuracy.inputs}
    p_values: dict[str, float] = {}
    guessed: str | None = None
    if landed is not None:
        guessed, p_values["polluted"] = _polluted(tested, landed, figures | {"right": accuracy.right}, figures)
    if seen is not None:
        figures |= {"train_accuracy": seen.right / seen.inputs, "gap": settings.gap}
        p_values |= _fitted(accuracy, seen, settings)
    # Pollution first: it lowers the accuracy too. Overfitting and underfitting exclude each other by their rules.
    fault = next((name for name, value in p_values.items() if value < settings.level), None)
    provenance = Provenance(called(diagnose, {}, settings), opening_of(subject), opening_of(whole))
    named = guessed if fault == "polluted" else None
    return Diagnosis(subject.name, whole.name, fault, named, p_values, figures, provenance, accuracy)


def _may_show_pollution(model: Classifier, data: Examples) -> bool:
    """Return whether patches can be stamped on the data, and their answers can collapse into one of several classes."""
    if data.labels is None:
        raise InvalidData(f"{data.name}: a diagnosis needs labels")
    if len(data.shape) != 3:
        return False
    # Of two classes there is only one that a wrong answer can go to.
    return model.observe(data.batch([0]).inputs).logits.shape[1] >= _CLASSES


def _fitted(tested: Accuracy, trained: Accuracy, settings: DiagnoseSettings) -> dict[str, float]:
    """Return how likely the accuracies are if the model is neither over- nor underfitted."""
    # Shrunk by the gap that is tolerated: what remains must be more than chance.
    excess = trained.right / trained.inputs - tested.right / tested.inputs - settings.gap
    spread = np.sqrt(_variance(trained.right, trained.inputs) + _variance(tested.right, tested.inputs))
    below = stats.binomtest(trained.right, trained.inputs, settings.reachable, alternative="less")
    return {"overfitted": float(stats.norm.sf(excess / spread)), "underfitted": float(below.pvalue)}


def _variance(right: int, count: int) -> float:
    share = (right + 1) / (count + 2)  # never zero, also if all answers are right
    return share * (1 - share) / count


def _looked_at(
    model: Classifier,
    data: Examples,
    settings: DiagnoseSettings,
    progress: Callable[[int], object],
    stamped: bool,
) -> tuple[Accuracy, Tensor | None]:
    """Return how often answers are right, and where patches lead that make them wrong: (C,), None without patches."""
    right, landed = Accuracy({}, 0, data.classes), None
    for batch in data.batches(512):
        assert batch.labels is not None
        seen = model.observe(batch.inputs)
        correct = torch.eq(seen.predicted.cpu(), batch.labels)
        answers = seen.predicted.cpu().numpy()
        right += Accuracy.counted(answers, batch.labels.numpy(), seen.logits.shape[1])
        if stamped:
            patched = model.observe(_stamped(batch.inputs, batch.ids, settings, data.value_range)).predicted.cpu()
            # Of inputs that were right before: where a wrong answer goes anyway says nothing about the patch.
            went = patched[correct & (patched != batch.labels)]
            counts = torch.bincount(went, minlength=seen.logits.shape[1])
            landed = counts if landed is None else landed + counts
        progress(right.inputs)
    return right, landed


def _stamped(
    images: Tensor, ids: tuple[str, ...], settings: DiagnoseSettings, value_range: tuple[float, float]
) -> Tensor:
    """Return images with a patch of noise each, of random size and at a random place."""
    height, width = images.shape[2:]
    largest = max(1, round(settings.patch * min(height, width)))
    smallest = (largest + 1) // 2
    streams, (low, high) = Streams(settings.seed, ids), value_range
    places = streams.uniform(0, 0, (3,)).double()
    noise = streams.uniform(0, 1, (images.shape[1], largest, largest)).mul_(high - low).add_(low)
    stamped = images.clone()
    for row, (size, down, right) in enumerate(places.tolist()):
        side = smallest + int(size * (largest - smallest + 1))
        top, left = int(down * (height - side + 1)), int(right * (width - side + 1))
        stamped[row, :, top : top + side, left : left + side] = noise[row, :, :side, :side]
    return stamped


def _polluted(
    data: Examples, landed: Tensor, known: Mapping[str, float], figures: dict[str, float]
) -> tuple[str, float]:
    """Return the class that most changed answers go to, and how likely that is if no class draws more than half."""
    total, most, classes = int(landed.sum()), int(landed.argmax()), len(landed)
    figures["patched_changed"] = total / max(1.0, known["right"])
    figures["collapsed"] = int(landed[most]) / max(1, total)
    name = class_called(data.classes, most)
    if total == 0:
        return name, 1.0
    # The class was chosen by looking at the counts that are tested, hence times the number of classes (Bonferroni).
    p_value = stats.binomtest(int(landed[most]), total, _HALF, alternative="greater").pvalue
    return name, min(1.0, classes * float(p_value))
