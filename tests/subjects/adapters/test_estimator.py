import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.cluster import KMeans
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from torch import Tensor

from unnerve.core.errors import InvalidModel
from unnerve.core.model import Capability
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.estimator import Estimator, is_estimator
from unnerve.subjects.models import model


@pytest.fixture
def table(small_images: Tensor) -> tuple[np.ndarray, np.ndarray]:
    """Return 40 rows of 64 features, and one of three classes each."""
    rows = small_images.flatten(1).numpy().astype(np.float64)
    return rows, (rows[:, :8].mean(axis=1) * 9).astype(int) % 3


@pytest.mark.parametrize(
    "estimator",
    [
        LogisticRegression(),
        make_pipeline(StandardScaler(), LogisticRegression()),
        RandomForestClassifier(8, random_state=0),
        KNeighborsClassifier(3),
        LinearSVC(random_state=0),
        SVC(),
    ],
    ids=lambda one: type(one).__name__,
)
def test_predicts_as_the_estimator_does(
    estimator: object, table: tuple[np.ndarray, np.ndarray], small_images: Tensor
) -> None:
    assert is_estimator(estimator)
    estimator.fit(*table)
    taken = model(estimator)
    assert isinstance(taken, BlackBox)
    assert taken.offers == Capability.ANSWERS
    assert taken.name == type(estimator).__name__
    for x in (small_images, small_images.flatten(1)):
        assert np.array_equal(taken.observe(x).predicted.numpy(), estimator.predict(table[0]))
    if hasattr(estimator, "predict_proba"):
        expected = torch.from_numpy(estimator.predict_proba(table[0]))
        assert torch.allclose(taken.observe(small_images).probabilities, expected, atol=1e-5)


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(random_state=0)])
@pytest.mark.parametrize("classes", [(0, 1), (0, 2), (3, 8), (1, 2, 5), (0.0, 1.0), (False, True)])
def test_answers_have_the_columns_of_their_class_numbers(
    estimator: LogisticRegression, classes: tuple[int, ...], table: tuple[np.ndarray, np.ndarray], small_images: Tensor
) -> None:
    labels = np.array(classes)[table[1] % len(classes)]
    taken = model(estimator.fit(table[0], labels))
    seen = taken.observe(small_images)
    assert seen.logits.shape == (40, int(max(classes)) + 1)
    assert np.array_equal(seen.predicted.numpy(), estimator.predict(table[0]).astype(int))


def test_classes_with_names_keep_their_order(table: tuple[np.ndarray, np.ndarray], small_images: Tensor) -> None:
    names = np.array(["owl", "cat", "dog"])[table[1]]
    taken = model(LogisticRegression().fit(table[0], names))
    assert isinstance(taken, BlackBox)
    assert taken.declared.class_names == ("cat", "dog", "owl")
    assert taken.observe(small_images).logits.shape == (40, 3)


@pytest.mark.filterwarnings("error")
def test_features_keep_their_names(table: tuple[np.ndarray, np.ndarray], small_images: Tensor) -> None:
    names = [f"pixel{number}" for number in range(64)]
    frame = pd.DataFrame(table[0], columns=names)
    chosen = ColumnTransformer([("some", StandardScaler(), ["pixel3", "pixel1"])], remainder="drop")
    estimator = make_pipeline(chosen, LogisticRegression()).fit(frame, table[1])
    seen = model(estimator).observe(small_images)
    assert np.array_equal(seen.predicted.numpy(), estimator.predict(frame))


def test_what_is_known_before_any_pass(table: tuple[np.ndarray, np.ndarray]) -> None:
    forest, machine = model(RandomForestClassifier(2).fit(*table)), model(LinearSVC().fit(*table))
    assert isinstance(forest, BlackBox)
    assert isinstance(machine, BlackBox)
    assert forest.declared.form == "scikit-learn RandomForestClassifier"
    assert forest.declared.shape == (64,)
    assert (forest.declared.outputs, machine.declared.outputs) == ("probabilities", "logits")


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (LogisticRegression(), "must be a fitted classifier, got LogisticRegression without classes"),
        (LinearRegression(), "must be a fitted classifier, got LinearRegression without classes"),
        (KMeans(), "must be a fitted classifier, got KMeans without classes"),
    ],
)
def test_what_is_no_fitted_classifier_is_refused(estimator: object, words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        model(estimator)


def test_answers_must_be_more_than_class_numbers(table: tuple[np.ndarray, np.ndarray]) -> None:
    class Bare:
        classes_ = np.arange(3)

        def fit(self) -> None: ...

        def predict(self) -> None: ...

    with pytest.raises(InvalidModel, match="must have predict_proba or decision_function"):
        model(Bare())
    two = DecisionTreeClassifier().fit(table[0], np.stack([table[1], table[1]], axis=1))
    with pytest.raises(InvalidModel, match="must have one output, got 2"):
        model(two)
    pairs = SVC(decision_function_shape="ovo").fit(table[0], table[1] + (table[0][:, 0] > 0.8) * 3)
    with pytest.raises(InvalidModel, match="must give one score for each of"):
        Estimator(pairs, "pairs")(table[0])


def test_another_number_of_features_is_refused(table: tuple[np.ndarray, np.ndarray]) -> None:
    with pytest.raises(InvalidModel, match="Perceptron takes 64 features, got inputs of 784"):
        model(Perceptron().fit(*table)).observe(torch.zeros(2, 1, 28, 28))
