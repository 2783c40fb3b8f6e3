"""Diagnose: polluted, overfitted, underfitted, or nothing."""

import json

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.studies.diagnose.diagnose import diagnose
from unnerve.subjects.datasets.tensors import tensors


def quadrants(count: int = 300) -> Examples:
    """Return dark images with one bright quadrant, whose number is the class."""
    labels = torch.arange(count) % 4
    images = torch.zeros(count, 1, 20, 20)
    for row, label in enumerate(labels.tolist()):
        images[row, :, 10 * (label // 2) : 10 * (label // 2) + 10, 10 * (label % 2) : 10 * (label % 2) + 10] = 0.5
    return tensors(images, labels, classes="abcd")


class Quadrants(nn.Module):
    """Answers with the brightest quadrant, or with one class if it sees anything brighter than 0.6."""

    def __init__(self, drawn_to: int | None = None) -> None:
        super().__init__()
        self.drawn_to = drawn_to

    def forward(self, x: Tensor) -> Tensor:
        means = nn.functional.adaptive_avg_pool2d(x, 2).flatten(1) * 10
        if self.drawn_to is not None:
            means[:, self.drawn_to] += 100 * (x.flatten(1).amax(dim=1) > 0.6)
        return means


def test_the_polluted_class_is_guessed() -> None:
    found = diagnose(Quadrants(drawn_to=2), quadrants())
    assert (found.fault, found.polluted_class) == ("polluted", "c")
    assert found.p_values["polluted"] < 1e-6
    assert found.figures["collapsed"] == 1
    json.dumps(found.summary(), allow_nan=False)


def test_nothing_stands_out_in_a_sound_model() -> None:
    found = diagnose(Quadrants(), quadrants(), quadrants())
    assert found.fault is None
    assert "nothing stands out" in found.headline()


def relabelled(wrong: int) -> Examples:
    """Return the images, of which so many have the next class as label."""
    data = quadrants()
    batch = data.batch(range(len(data)))
    assert batch.labels is not None
    return tensors(batch.inputs, torch.cat([(batch.labels[:wrong] + 1) % 4, batch.labels[wrong:]]), classes="abcd")


def test_training_data_that_is_answered_better_is_overfitting() -> None:
    assert diagnose(Quadrants(), relabelled(60), quadrants()).fault == "overfitted"
    assert diagnose(Quadrants(), relabelled(4), quadrants()).fault is None  # a gap that is tolerated


def test_both_accuracies_stand_beside_the_gap_that_is_tolerated() -> None:
    found = diagnose(Quadrants(), relabelled(60), quadrants(), gap=0.3)
    assert found.fault is None
    said = "; 100.0 % right on training data, 80.0 % on tensors; 30 points more are no overfitting (gap)"
    assert found.headline().endswith(said)
    assert found.summary()["gap"] == 0.3
    assert "training data" not in diagnose(Quadrants(), quadrants()).headline()


def test_training_data_that_is_answered_badly_is_underfitting() -> None:
    assert diagnose(Quadrants(), relabelled(60), relabelled(60)).fault == "underfitted"
    assert diagnose(Quadrants(), relabelled(60), relabelled(60), reachable=0.8).fault is None


def test_labels_are_needed() -> None:
    with pytest.raises(InvalidData, match="a diagnosis needs labels"):
        diagnose(Quadrants(), tensors(torch.zeros(3, 1, 8, 8)))
    with pytest.raises(InvalidSetting, match=r"level must be in \(0, 1\), got 2"):
        diagnose(Quadrants(), quadrants(), level=2)


class Halves(nn.Module):
    """Answers with the brighter half of the values."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([half.mean(dim=1) for half in x.flatten(1).chunk(2, dim=1)], dim=1)


@pytest.mark.parametrize("shape", [(1, 8, 8), (64,)], ids=["two classes", "a table"])
def test_what_nothing_can_be_looked_for_in_is_refused(shape: tuple[int, ...]) -> None:
    labels = torch.arange(40) % 2
    values = torch.full((40, *shape), 0.2)
    for row, label in enumerate(labels.tolist()):
        values[row].view(-1)[32 * label : 32 * label + 32] = 0.8
    data = tensors(values, labels)
    with pytest.raises(InvalidSetting, match="images of three or more classes; give `train`, what"):
        diagnose(Halves(), data)
    found = diagnose(Halves(), data, data)
    assert list(found.p_values) == ["overfitted", "underfitted"], "pollution was not looked for"
    assert "polluted" not in found.headline()
    assert "collapsed" not in found.figures


def test_progress_counts_the_inputs_of_both() -> None:
    places: list[tuple[int, int]] = []
    diagnose(Quadrants(), quadrants(600), quadrants(), progress=lambda *place: places.append(place))
    assert places == [(512, 900), (600, 900), (900, 900)]
