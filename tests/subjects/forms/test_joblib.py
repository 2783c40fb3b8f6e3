import pickle
import warnings
from pathlib import Path
from typing import Any

import joblib
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import InconsistentVersionWarning
from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.models import model


class Harmful:
    """A thing whose unpickling creates a file."""

    def __init__(self, victim: Path) -> None:
        self.victim = victim

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.victim,)


@pytest.fixture
def forest(small_images: Tensor) -> RandomForestClassifier:
    rows = small_images.flatten(1).numpy()
    return RandomForestClassifier(4, random_state=0).fit(rows, rows[:, 0] > 0.5)


@pytest.mark.parametrize("name", ["forest.joblib", "forest.pkl", "forest.pickle"])
def test_opens_a_file_that_is_trusted(
    tmp_path: Path, forest: RandomForestClassifier, small_images: Tensor, name: str
) -> None:
    path = tmp_path / name
    if name.endswith("joblib"):
        joblib.dump(forest, path)
    else:
        path.write_bytes(pickle.dumps(forest))
    taken = model(path, trust=True)
    assert isinstance(taken, BlackBox)
    assert taken.declared.form == "scikit-learn RandomForestClassifier, unpickled"
    expected = forest.predict(small_images.flatten(1).numpy())
    assert (taken.observe(small_images).predicted.numpy() == expected).all()


@pytest.mark.parametrize("name", ["evil.joblib", "evil.pkl"])
def test_no_code_runs_without_trust(tmp_path: Path, name: str) -> None:
    victim = tmp_path / "victim"
    joblib.dump(Harmful(victim), tmp_path / name)
    with pytest.raises(InvalidModel, match=r"loading it runs code stored in it; .*add `trust`; skops\.io\.dump"):
        model(tmp_path / name)
    assert not victim.exists()


def test_another_version_of_scikit_learn_is_said(
    tmp_path: Path, forest: RandomForestClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(path: Path) -> RandomForestClassifier:
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name="Tree", current_sklearn_version="2", original_sklearn_version="1"
            ),
            stacklevel=1,
        )
        return forest

    monkeypatch.setattr(joblib, "load", load)
    path = tmp_path / "old.joblib"
    path.touch()
    taken = model(path, trust=True)
    assert isinstance(taken, BlackBox)
    assert taken.declared.form.endswith("unpickled, saved by another version of scikit-learn")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "bad.joblib: cannot be unpickled: EOFError"),
        (b"nothing of the kind", "bad.joblib: cannot be unpickled: "),
        (pickle.dumps({"model": 3}), "must be an nn.Module, a callable or an estimator, got dict"),
    ],
)
def test_what_holds_no_model_is_one_clear_line(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "bad.joblib").write_bytes(content)
    with pytest.raises(InvalidModel) as error:
        model(tmp_path / "bad.joblib", trust=True)
    assert words in str(error.value)
