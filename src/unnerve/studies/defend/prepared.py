"""Defences ready for use: detectors that are calibrated, models that are trained, transforms that know patches."""

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.detectors import Detector, Hardening, Taught
from unnerve.core.methods import Normed
from unnerve.core.model import Classifier, require
from unnerve.core.naming.catalogue import describe
from unnerve.core.subject import Subject
from unnerve.core.wrappers.transformed import Transformed
from unnerve.mend.adaptive.evasion import Evasion
from unnerve.mend.adaptive.through import Through

__all__ = ["Prepared", "prepared"]


@dataclass(frozen=True, eq=False)
class Prepared:
    """A defence of one model, ready for use.

    Parameters
    ----------
    text : str
        As on the command line.
    kind : str
        ``detector``, ``model`` or ``transform``.
    undefended : Classifier
    answers : Classifier
        The model that answers: a hardened one, one behind a transform, or the undefended one.
    detector : Detector or None
    calibration : dict
        Settings of a defence that learns, and what it learnt, as JSON; ``threshold_given`` says of a detector's
        threshold that it was a setting.
    """

    text: str
    kind: str
    undefended: Classifier
    answers: Classifier
    detector: Any = None
    calibration: dict[str, Any] = field(default_factory=dict)

    def right(self, x: Tensor, labels: Tensor, predicted: Tensor) -> Tensor:
        """Say which inputs (N, ...) it gets right, given the undefended model's answers: bool (N,)."""
        if self.detector is None:
            return self.answers.observe(x).predicted == labels
        suspicion: Tensor = self.detector.suspicion(Subject(self.undefended), x)
        return (suspicion > 0) == (predicted != labels)

    def withstands(self, x: Tensor, labels: Tensor, region: Normed, attack: Evasion) -> Tensor:
        """Say on which clean inputs it holds against an attack that knows it: bool (N,)."""
        known = Through(self.answers) if isinstance(self.answers, Transformed) else self.answers
        right = self.right(x, labels, labels)
        return right & ~attack.broken(known, x, labels, region, self.detector)


def prepared(model: Classifier, text: str, defence: Any, held_out: Examples, training: Examples) -> Prepared:
    """Return a defence ready for use on a model, after a look at held-out inputs or training on labelled ones."""
    if hasattr(defence, "suspicion"):
        require(model, defence.needs, text)
        detector: Detector = defence.calibrated(Subject(model), held_out)
        learnt = describe(detector) | getattr(detector, "knowledge", {})
        if "threshold" in learnt:
            learnt["threshold_given"] = describe(defence).get("threshold") is not None
        return Prepared(text, "detector", model, model, detector, learnt)
    if isinstance(defence, Hardening):
        hardened = defence.hardened(model, training)
        learnt = describe(defence) | {"trained_on": training.name, "trained_with": len(training)}
        return Prepared(text, "model", model, hardened, calibration=learnt)
    known: Any = defence.learnt(held_out) if isinstance(defence, Taught) and defence.untaught else defence
    behind = Transformed(model, known, text, held_out.value_range)
    learnt = describe(known) | known.knowledge if hasattr(known, "knowledge") else {}
    return Prepared(text, "transform", model, behind, calibration=learnt)
