"""Reading a model's answer: logits or probabilities, never a guess that could be wrong."""

from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.subjects.adapters._several import the_answer

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
        ``logits``, ``probabilities`` or ``auto``. Of several outputs one is chosen by its name or number in front:
        ``head:logits``, ``1:auto``.
    """

    def __init__(self, name: str, form: str) -> None:
        which, _, said = form.rpartition(":")
        if said not in FORMS:
            known = f"{', '.join(FORMS)}, or NAME:FORM for one of several outputs"
            raise InvalidSetting(f"--outputs must be one of {known}, got '{form}'")
        self.name = name
        self.form = said
        self._which = which or None
        self._columns = 0  # of the first answer; a model that changes them has no classes to speak of

    @property
    def stated(self) -> str:
        """The form as it is stated, once it is settled; of several outputs with the one that is chosen."""
        return self.form if self._which is None else f"{self._which}:{self.form}"

    def checked(self, answer: object, rows: int) -> Tensor:
        """Return an answer as finite float32, shape (N, C), or raise :class:`InvalidModel`; settles no form.

        One column stands for two classes, see :meth:`logits`.
        """
        return self._finite(self.shaped(answer, rows))

    def shaped(self, answer: object, rows: int) -> Tensor:
        """Return an answer as float32, shape (N, C), finite or not, or raise :class:`InvalidModel`."""
        tensor = self._tensor(the_answer(answer, self._which, rows, self.name))
        if tensor.shape == (rows,):
            if not tensor.is_floating_point():
                raise InvalidModel(f"{self.name}: output must be probabilities or logits, got {rows} class numbers")
            tensor = tensor.unsqueeze(1)
        if tensor.ndim != 2 or tensor.shape[0] != rows or tensor.shape[1] < 1:
            raise InvalidModel(f"{self.name}: output must have shape ({rows}, classes), got {tuple(tensor.shape)}")
        if tensor.layout is not torch.strided or tensor.is_meta or tensor.is_complex():
            kind = "meta" if tensor.is_meta else f"{tensor.dtype} {tensor.layout}".replace("torch.", "")
            raise InvalidModel(f"{self.name}: output must be plain real numbers, got a {kind} tensor")
        self._columns = self._columns or tensor.shape[1]
        if tensor.shape[1] != self._columns:
            raise InvalidModel(
                f"{self.name}: output must have as many classes each time, got {tensor.shape[1]} after {self._columns}"
            )
        return tensor.to(torch.float32)

    def checked_draws(self, answered: Iterable[tuple[object, int]], rows: int) -> Tensor:
        """Return the answers to the same N rows in T draws as finite float32, or raise :class:`InvalidModel`.

        Each answer comes with its number of draws, whose rows follow each other; the shape is (T, N, C).
        """
        tensors = [self.shaped(answer, draws * rows) for answer, draws in answered]
        joined = self._finite(torch.cat(tensors))
        return joined.view(-1, rows, joined.shape[1])

    def logits(self, tensor: Tensor) -> Tensor:
        """Return a checked answer as logits, shape (N, C), or raise :class:`InvalidModel`.

        One column is the logit or the probability of the second of two classes: C is then 2, and the probabilities are
        those of a sigmoid.
        """
        if self.form == "auto":
            self.form = self._form(tensor.detach())
        if self.form == "logits":
            return tensor if tensor.shape[1] > 1 else torch.cat([torch.zeros_like(tensor), tensor], dim=1)
        if tensor.shape[1] == 1:
            tensor = torch.cat([1 - tensor, tensor], dim=1)
        if not _are_probabilities(tensor.detach()):
            raise InvalidModel(
                f"{self.name}: outputs must be probabilities, but rows are negative or do not sum to one"
            )
        # Zero has no logarithm with which margins could be measured; the least normal number has a finite one.
        return tensor.clamp_min(torch.finfo(torch.float32).tiny).log()

    def _form(self, answer: Tensor) -> str:
        if answer.shape[1] > 1 and _are_probabilities(answer):
            return "probabilities"
        if answer.amin() < 0 or answer.amax() > 1:
            return "logits"
        if answer.shape[1] == 1:
            raise InvalidModel(
                f"{self.name}: one output per input, and all lie in [0, 1]: they could be probabilities of the second "
                "of two classes or logits; say which they are (--outputs)"
            )
        raise InvalidModel(
            f"{self.name}: outputs lie in [0, 1] but rows do not sum to one, so they are neither logits nor "
            "probabilities; end the model with a softmax or with raw logits, or say which they are (--outputs)"
        )

    def _finite(self, tensor: Tensor) -> Tensor:
        # One reduction finds NaN and infinities: multiplied by zero, both become NaN and survive the sum.
        if torch.isnan((tensor.detach() * 0).sum()):
            raise InvalidModel(f"{self.name}: output has NaN or infinite values")
        return tensor

    def _tensor(self, answer: object) -> Tensor:
        if isinstance(answer, Tensor):
            return answer
        try:
            # A copy: the array may be read-only, or a buffer that the next answer overwrites.
            return torch.from_numpy(np.array(answer, order="C"))
        except (TypeError, ValueError, RuntimeError) as problem:
            kind = type(answer).__name__
            raise InvalidModel(f"{self.name}: output must be one tensor of shape (N, classes), got {kind}") from problem


def _are_probabilities(answer: Tensor) -> bool:
    return bool(((answer.sum(dim=1) - 1).abs() <= _TOLERANCE).all() & (answer >= -_TOLERANCE).all())
