"""A scikit-learn estimator, or a pipeline that ends in one, as a function from arrays to answers."""

from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, TypeGuard

import numpy as np

from unnerve.core.data.features import Features
from unnerve.core.errors import InvalidModel
from unnerve.subjects.declaration import Declaration

__all__ = ["Estimator", "declared_by", "is_estimator"]

_MOST_CLASSES = 100_000
_FAR = 50.0
"""How far below all others the score of a class lies that an estimator never answers."""


def is_estimator(thing: object) -> TypeGuard[Any]:
    """Say whether an object is an estimator, by what it can do."""
    return hasattr(thing, "predict") and (hasattr(thing, "fit") or hasattr(thing, "predict_proba"))


@dataclass(frozen=True, eq=False)
class Estimator:
    """Answers of a fitted classifier: probabilities, or the values of its decision function where it has none.

    Images are laid out as rows of features. Columns of answers are class numbers: if the classes that the estimator
    knows are whole numbers, each has the column of its number.

    Parameters
    ----------
    estimator : object
        With ``predict_proba`` or ``decision_function``, and ``classes_``.
    name : str
        For errors.
    columns : Features or None
        Of the table whose rows it is given, if it takes their categories as texts; they are numbers otherwise.
    """

    estimator: Any
    name: str
    columns: Features | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.estimator, "classes_"):
            kind = type(self.estimator).__name__
            raise InvalidModel(f"{self.name}: must be a fitted classifier, got {kind} without classes")
        if not (self.has_probabilities or hasattr(self.estimator, "decision_function")):
            raise InvalidModel(
                f"{self.name}: must have predict_proba or decision_function; answers alone cannot be ranked"
            )
        if isinstance(self.estimator.classes_, list):
            raise InvalidModel(f"{self.name}: must have one output, got {len(self.estimator.classes_)}")

    @property
    def has_probabilities(self) -> bool:
        """Whether it answers with probabilities."""
        return hasattr(self.estimator, "predict_proba")

    @property
    def numbers(self) -> np.ndarray | None:
        """The classes as whole numbers from 0, or None where they are something else, such as names."""
        classes = np.asarray(self.estimator.classes_)
        if classes.dtype.kind not in "biuf" or (classes != classes.astype(np.int64)).any():
            return None
        whole = classes.astype(np.int64)
        return whole if len(whole) and whole.min() >= 0 and whole.max() < _MOST_CLASSES else None

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Return probabilities, or logits, shape (N, C)."""
        rows = self._table(x.reshape(len(x), -1).astype(np.float64))
        ask = self.estimator.predict_proba if self.has_probabilities else self.estimator.decision_function
        answer = np.asarray(ask(rows))
        if answer.ndim == 1:  # of two classes, the second one's
            answer = np.stack([np.zeros_like(answer), answer], axis=1)
        count = len(self.estimator.classes_)
        if answer.shape[1:] != (count,):
            raise InvalidModel(
                f"{self.name}: must give one score for each of {count} classes, got shape {answer.shape}"
            )
        return self._by_number(answer)

    def for_table(self, features: Features) -> "Estimator":
        """Return the same for rows with these columns: with texts in place of their codes, if it takes texts.

        An encoder that passes over what it does not know would take codes for texts in silence, whereas numbers cannot
        be made of texts: so texts are tried first.
        """
        if not any(one.values for one in features.columns) or not hasattr(self.estimator, "feature_names_in_"):
            return self
        with_texts = replace(self, columns=features)
        try:
            with_texts(np.array([[one.low for one in features.columns]], dtype=np.float32))
        except Exception:  # whatever the steps of a pipeline raise
            return self
        return with_texts

    def _table(self, rows: np.ndarray) -> Any:
        """Return rows of features as the estimator was given them: with names, if it knows some."""
        wanted = getattr(self.estimator, "n_features_in_", rows.shape[1])
        if rows.shape[1] != wanted:
            raise InvalidModel(f"{self.name} takes {wanted} features, got inputs of {rows.shape[1]}")
        names = getattr(self.estimator, "feature_names_in_", None)
        if names is None or find_spec("pandas") is None:
            return rows
        import pandas as pd  # noqa: PLC0415 - optional, and here only if the estimator was fitted with it

        frame = pd.DataFrame(rows, columns=names)
        for place, one in enumerate(self.columns.columns if self.columns is not None else ()):
            if one.values:
                # Probes, by which models are told apart, are no whole numbers.
                codes = np.clip(np.rint(rows[:, place]), 0, len(one.values) - 1).astype(np.int64)
                frame[one.name] = np.array(one.values, dtype=object)[codes]
        return frame

    def _by_number(self, answer: np.ndarray) -> np.ndarray:
        numbers = self.numbers
        if numbers is None or np.array_equal(numbers, np.arange(len(numbers))):
            return answer
        # Not minus infinity: margins are differences of logits, and must stay finite.
        lowest = 0.0 if self.has_probabilities else answer.min(axis=1, keepdims=True) - _FAR
        spread = np.broadcast_to(lowest, (len(answer), int(numbers.max()) + 1)).copy()
        spread[:, numbers] = answer
        return spread


def declared_by(function: Estimator, declared: Declaration) -> Declaration:
    """Return what an estimator says of itself, added to what is known already."""
    kind = type(function.estimator).__name__
    features = getattr(function.estimator, "n_features_in_", None)
    names = None if function.numbers is not None else tuple(map(str, function.estimator.classes_))
    outputs = "probabilities" if function.has_probabilities else "logits"
    shape = None if features is None else (int(features),)
    form = f"scikit-learn {kind}, {declared.form}" if declared.form else f"scikit-learn {kind}"
    columns = getattr(function.estimator, "feature_names_in_", None)
    known = None if columns is None else tuple(map(str, columns))
    return replace(declared, form=form, outputs=outputs, shape=shape, class_names=names, feature_names=known)
