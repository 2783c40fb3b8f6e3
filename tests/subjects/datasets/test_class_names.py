"""Names of classes: those that the user gives, and those that a model or other data have."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.datasets._class_names import check_same_classes, named_like, numbered_as, with_classes
from unnerve.subjects.joined import joined

NAMES = ("owl", "cat", "dog")


def labelled(labels: list[str] | list[int] | None, **options: object) -> Examples:
    x = np.linspace(0, 1, 12, dtype=np.float32).reshape(4, 3)
    return unnerve.examples(x if labels is None else (x, labels), **options)


def test_a_model_numbers_the_classes() -> None:
    found = numbered_as(labelled(["cat", "owl", "cat", "owl"]), NAMES)
    assert found.classes == NAMES
    assert found.labels is not None
    assert found.labels.tolist() == [1, 0, 1, 0]
    assert numbered_as(found, NAMES) is found


def test_a_model_names_classes_that_have_no_names() -> None:
    assert numbered_as(labelled(None), NAMES).classes == NAMES
    assert numbered_as(labelled([0, 2, 1, 0]), NAMES).classes == NAMES
    assert numbered_as(labelled([0, 3, 1, 0]), NAMES).classes == ()


@pytest.mark.parametrize("names", [None, ("owl", "cat", "cat"), ("owl", "dog")])
def test_names_that_do_not_fit_leave_the_data_alone(names: tuple[str, ...] | None) -> None:
    data = labelled(["cat", "owl", "cat", "owl"])
    assert numbered_as(data, names) is data


def test_what_the_user_says_goes_first() -> None:
    data = labelled(["cat", "owl", "cat", "owl"], classes="dog,owl,cat")
    assert numbered_as(data, NAMES) is data


def test_further_data_are_numbered_like_the_first() -> None:
    train, test = labelled(["cat", "dog", "owl", "cat"]), labelled(["owl", "owl", "dog", "dog"])
    found = named_like(test, train.classes)
    assert found.labels is not None
    assert found.labels.tolist() == [2, 2, 1, 1]
    assert named_like(train, test.classes) is train  # of a class that the others do not have, nothing is known


def test_labels_of_other_classes_are_not_learnt() -> None:
    train, test = labelled(["cat", "dog", "owl", "cat"]), labelled(["owl", "owl", "dog", "dog"])
    check_same_classes(test, train)
    check_same_classes(labelled([0, 1, 2, 0]), train)
    with pytest.raises(InvalidData, match=r"must be those of .*, got 'cat'; if that lacks some, `classes` names all"):
        check_same_classes(train, test)


def test_a_test_set_without_some_class_is_numbered_as_the_estimator_was_fitted() -> None:
    # Of the classes cat, dog and owl only the last two are tested: by themselves they would be numbered 0 and 1.
    rng = np.random.default_rng(0)
    place = rng.integers(0, 3, 90)
    frame = pd.DataFrame({"a": place + rng.normal(0, 0.05, 90), "b": rng.normal(size=90)})
    fitted = LogisticRegression().fit(frame, np.array(["cat", "dog", "owl"])[place])
    some = place > 0
    _, data = joined(fitted, (frame[some], np.array(["cat", "dog", "owl"])[place[some]]))
    assert data.classes == ("cat", "dog", "owl")
    ranking = unnerve.rank(fitted, data)
    assert ranking.accuracy.right == ranking.accuracy.inputs
    assert set(ranking.table()["predicted_name"].to_pylist()) == {"dog", "owl"}


def test_names_that_users_give() -> None:
    found = with_classes(labelled(["cat", "owl", "cat", "owl"]), "owl,cat")
    assert found.labels is not None
    assert found.labels.tolist() == [1, 0, 1, 0]
