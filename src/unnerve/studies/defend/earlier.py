"""What defences learnt in an earlier run, given back to a later one: plain numbers and weights, no code."""

import json
from collections.abc import Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.detectors import Hardening, Recalling
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.studies.defend.prepared import Prepared
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.weights import fill

__all__ = ["Earlier"]

_ASKED = {"calibration", "data", "identity", "learnt_from", "model", "value_range", "weights"}


@dataclass(frozen=True, eq=False)
class Earlier:
    """The figures of an earlier run on a model, as ``--out`` wrote them."""

    path: Path
    figures: Mapping[str, Any]

    @classmethod
    def at(cls, path: str | Path, model: Classifier, data: Examples) -> "Earlier":
        """Read the figures, and raise unless they are of this model and such data."""
        try:
            figures = json.loads(Path(path).read_text())
        except (OSError, ValueError) as problem:
            raise InvalidData(f"--learnt {path}: no figures of unnerve defend: {problem}") from problem
        if not isinstance(figures, dict) or not set(figures) >= _ASKED:
            raise InvalidData(f"--learnt {path}: no figures that unnerve defend wrote with --out")
        if figures["identity"] != model.identity(data.shape):
            raise InvalidSetting(f"--learnt {path} is of another model, {figures['model']}")
        if figures["value_range"] != list(data.value_range):
            raise InvalidSetting(f"--learnt {path} is of data with values in another range, {figures['value_range']}")
        return cls(Path(path), figures)

    def learnt_from(self, data: Examples) -> list[str]:
        """Return which of these inputs defences learnt from."""
        # By name: inputs of other data may have the same ids.
        return list(self.figures["learnt_from"]) if self.figures["data"] == data.name else []

    def check_tested(self, data: Examples, tested: Collection[str]) -> None:
        """Raise if defences learnt from inputs that are tested or were attacked."""
        if shared := len(set(self.learnt_from(data)) & set(tested)):
            raise InvalidSetting(
                f"--learnt {self.path}: {shared} of the inputs that it learnt from are tested or were attacked now, "
                "which would flatter defences; leave it away, or test fewer (--inputs)"
            )

    def prepared(self, model: Classifier, text: str, defence: Any) -> Prepared | None:
        """Return a defence as it was; None if it is not known, or keeps nothing that could be given back."""
        known = self.figures["calibration"].get(text)
        if known is None:
            return None
        learnt = {**known, "learnt_in": str(self.path)}
        if isinstance(defence, Recalling):
            detector = defence.recalled(known)
            self._check_settings(text, detector, known)
            return Prepared(text, "detector", model, model, detector, learnt)
        if isinstance(defence, Hardening) and text in self.figures["weights"] and isinstance(model, TorchModule):
            self._check_settings(text, defence, known)
            module = fill(deepcopy(model.module), self.path.parent / self.figures["weights"][text])
            name = f"{model.name}, {describe(defence)['name']}"
            hardened = TorchModule(module, name, "logits", model.neurons, model.dropout)
            return Prepared(text, "model", model, hardened, calibration=learnt)
        return None

    def _check_settings(self, text: str, defence: Any, known: Mapping[str, Any]) -> None:
        # Usual settings are not written into the text, and may have changed since.
        for name, value in describe(defence).items():
            if known.get(name) != value:
                raise InvalidSetting(f"--learnt {self.path}: {text} learnt with {name}={known.get(name)}, not {value}")
