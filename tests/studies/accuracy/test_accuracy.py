"""How often a model is right."""

import warnings

import numpy as np
import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.errors import DoubtfulAnswers, InvalidData
from unnerve.studies.accuracy.accuracy import Accuracy, check_labels, measured
from unnerve.studies.intervals.proportion import proportion
from unnerve.subjects.adapters.torch_module import TorchModule


def counted(answers: list[int], labels: list[int] | None, classes: int = 3) -> Accuracy:
    return Accuracy.counted(np.array(answers), None if labels is None else np.array(labels), classes)


def test_by_hand() -> None:
    known = counted([0, 1, 2, 2], [0, 1, 1, 2])
    assert known.confusions == {(0, 0): 1, (1, 1): 1, (1, 2): 1, (2, 2): 1}
    assert (known.right, known.inputs) == (3, 4)
    assert known.share == proportion(3, 4)
    assert known.figures() == {"accuracy": 0.75, "accuracy_ci95": list(proportion(3, 4).ci95), "warnings": []}
    assert known.lines() == ["Accuracy 75.0 % (19.4 % to 99.4 %), 3 of 4"]


def test_without_labels_there_is_none() -> None:
    known = counted([0, 1, 2, 2], None)
    assert known.share is None
    assert known.figures() == {"accuracy": None, "accuracy_ci95": None, "warnings": []}
    assert known.lines() == []


def test_parts_add_up_and_are_read_again() -> None:
    labels, answers = [0, 1, 1, 2, 0, 1], [0, 1, 2, 2, 1, 1]
    parts = [counted(answers[i : i + 2], labels[i : i + 2]) for i in (0, 2, 4)]
    whole = counted(answers, labels)
    assert (parts[0] + parts[1]) + parts[2] == parts[0] + (parts[1] + parts[2]) == whole
    assert Accuracy.from_json(whole.to_json()) == whole
    assert Accuracy.from_json(whole.to_json(), ["cat", "dog", "owl"]).names == ("cat", "dog", "owl")
    with pytest.raises(ValueError, match="must be positive"):
        Accuracy.from_json({"confusions": [[0, 0, -1]], "classes": 2, "named": 0})


def test_a_model_is_asked(tiny_model: TorchModule, answered: Examples) -> None:
    known = measured(tiny_model, answered)
    assert (known.right, known.inputs, known.classes) == (30, 40, 4)


def test_labels_beyond_the_classes(answered: Examples) -> None:
    check_labels(answered, 4, "net")
    with pytest.raises(InvalidData, match=r"labels must be in \[0, 1\], the 2 classes of net, got 3$"):
        check_labels(answered, 2, "net")


def test_doubts_are_told_in_the_words_of_python_and_of_the_command() -> None:
    known = counted([0] * 30, [0, 1, 2] * 10)
    with pytest.warns(DoubtfulAnswers, match=r"^net: .*near chance") as told:
        known.tell("net")
    (last,) = (one.message for one in told if "answered alike" in str(one.message))
    assert "(`weights`)" in str(last)
    assert isinstance(last, DoubtfulAnswers)
    assert "(--weights)" in last.command_line
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counted([0, 1, 2] * 10, [0, 1, 2] * 10).tell("net")
