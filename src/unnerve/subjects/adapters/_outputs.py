"""Reading a model's answer: logits or probabilities, never a guess that could be wrong."""

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel, InvalidSetting

__all__ = ["FORMS", "Answers"]

FORMS = ("auto", "logits", "probabilities")
_TOLERANCE = 1e-3


class Answers:
    """Turns raw answers into logits; what form they have is settled by the user, or by the first whole answer.

    Parameters
    ----------
    name : str
        The model's name, for errors.
    form : str
        ``logits``, ``probabilities`` or ``auto``.
    """

    def __init__(self, name: str, form: str) -> None:
        if form not in FORMS:
            raise InvalidSetting(f"outputs must be one of {', '.join(FORMS)}, got '{form}'")
        self.name = name
        self.form = form

    def checked(self, answer: object, rows: int) -> Tensor:
        """Return an answer as finite float32, shape (N, C), or raise :class:`InvalidModel`; settles no form."""
        tensor = self._tensor(answer)
        if tensor.ndim != 2 or tensor.shape[0] != rows or tensor.shape[1] < 2:
            raise InvalidModel(f"{self.name}: output must have shape ({rows}, classes >= 2), got {tuple(tensor.shape)}")
        tensor = tensor.to(torch.float32)
        # One reduction finds NaN and infinities: multiplied by zero, both become NaN and survive the sum.
        if torch.isnan((tensor.detach() * 0).sum()):
            raise InvalidModel(f"{self.name}: output has NaN or infinite values")
        return tensor

    def checked_draws(self, answers: Iterable[object], rows: int) -> Tensor:
        """Return T answers to the same N rows as finite float32, shape (T, N, C), or raise :class:`InvalidModel`."""
        tensors = [self._tensor(answer) for answer in answers]
        self.checked(tensors[0], rows)
        return self.checked(torch.cat(tensors), rows * len(tensors)).view(len(tensors), rows, -1)

    def logits(self, tensor: Tensor) -> Tensor:
        """Return a checked answer as logits, shape (N, C), or raise :class:`InvalidModel`."""
        if self.form == "auto":
            self.form = self._form(tensor.detach())
        if self.form == "logits":
            return tensor
        if not _are_probabilities(tensor.detach()):
            raise InvalidModel(
                f"{self.name}: outputs must be probabilities, but rows are negative or do not sum to one"
            )
        return tensor.clamp_min(torch.finfo(torch.float32).tiny).log()

    def _form(self, answer: Tensor) -> str:
        if _are_probabilities(answer):
            return "probabilities"
        if answer.amin() < 0 or answer.amax() > 1:
            return "logits"
        raise InvalidModel(
            f"{self.name}: outputs lie in [0, 1] but rows do not sum to one, so they are neither logits nor "
            "probabilities; end the model with a softmax or with raw logits, or say which they are (--outputs)"
        )

    def _tensor(self, answer: object) -> Tensor:
        logits = getattr(answer, "logits", answer)
        if isinstance(logits, Tensor):
            return logits
        try:
            if isinstance(logits, tuple):
                raise TypeError("several outputs")
            # A copy: the array may be read-only, or a buffer that the next answer overwrites.
            return torch.from_numpy(np.array(logits, order="C"))
        except (TypeError, ValueError, RuntimeError) as problem:
            kind = type(answer).__name__
            raise InvalidModel(f"{self.name}: output must be one tensor of shape (N, classes), got {kind}") from problem


def _are_probabilities(answer: Tensor) -> bool:
    return bool(((answer.sum(dim=1) - 1).abs() <= _TOLERANCE).all() & (answer >= -_TOLERANCE).all())
