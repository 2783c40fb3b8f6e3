import sys
from pathlib import Path

import numpy as np
import pytest
import skops.io
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from torch import Tensor

from unnerve.core.errors import InvalidModel, InvalidSetting, MissingExtra
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.models import model


class Own(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that skops does not know."""

    def fit(self, x: np.ndarray, y: np.ndarray) -> "Own":
        self.classes_ = np.unique(y)
        return self

    def predict(self, x: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.predict_proba(x).argmax(axis=1)
        return found

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        return np.stack([x[:, 0], 1 - x[:, 0]], axis=1)


@pytest.fixture
def pipeline(tmp_path: Path, small_images: Tensor) -> Path:
    rows = small_images.flatten(1).numpy()
    path = tmp_path / "model.skops"
    skops.io.dump(make_pipeline(StandardScaler(), LogisticRegression()).fit(rows, rows[:, 0] > 0.5), path)
    return path


def test_opens_a_pipeline_without_running_code(pipeline: Path, small_images: Tensor) -> None:
    taken = model(pipeline)
    assert isinstance(taken, BlackBox)
    assert taken.declared.form == "scikit-learn Pipeline, saved by skops"
    right = (taken.observe(small_images).predicted == (small_images[:, 0, 0, 0] > 0.5)).float().mean()
    assert right > 0.9


def test_types_that_skops_does_not_know_need_trust(tmp_path: Path, small_images: Tensor) -> None:
    path = tmp_path / "own.skops"
    skops.io.dump(Own().fit(np.zeros((2, 1)), np.array([0, 1])), path)
    with pytest.raises(InvalidModel, match=r"types that skops does not know, .*test_skops\.Own; .*add `trust`"):
        model(path)
    seen = model(path, trust=True).observe(small_images)
    assert np.allclose(seen.probabilities[:, 0].numpy(), small_images[:, 0, 0, 0].numpy(), atol=1e-6)


def test_garbage_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "bad.skops").write_bytes(b"nothing of the kind")
    with pytest.raises(InvalidModel, match=r"bad\.skops: not a readable skops file: ") as error:
        model(tmp_path / "bad.skops")
    assert "\n" not in str(error.value)


def test_has_no_other_weights(pipeline: Path) -> None:
    with pytest.raises(InvalidSetting, match="holds its own weights"):
        model(pipeline, weights=pipeline)


def test_a_missing_package_names_the_extra(pipeline: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "skops", None)
    monkeypatch.setitem(sys.modules, "skops.io", None)
    with pytest.raises(MissingExtra, match=r'a model saved by skops .*pip install "unnerve\[skops\]"'):
        model(pipeline)
