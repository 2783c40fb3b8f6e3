"""Corrupt: what natural changes do to a model whose answers are known."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import DoubtfulAnswers, InvalidData, InvalidSetting, OutputRefused
from unnerve.reports.corruption.page import corruption_page
from unnerve.studies.corrupt.corrupt import corrupt
from unnerve.studies.cover.cover import cover
from unnerve.studies.rank.rank import rank
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.tensors import tensors


class Bright(nn.Module):
    """Answers 1 if an image is brighter than 0.5 on average."""

    def forward(self, x: Tensor) -> Tensor:
        mean = 20 * (x.mean(dim=(1, 2, 3)) - 0.5)
        return torch.stack([-mean, mean], dim=1)


def greys(*values: float, labels: list[int] | None = None, channels: int = 1) -> Examples:
    images = torch.tensor(values).view(-1, 1, 1, 1).expand(-1, channels, 8, 8).contiguous()
    return tensors(images, None if labels is None else torch.tensor(labels), classes="ab" if labels else ())


def test_accuracy_falls_where_the_amounts_say() -> None:
    # Brightness adds 0.05, 0.1, 0.15, 0.2, 0.3, or takes it away: dark images turn light, if at all, at a severity
    # that follows from how far they are from 0.5.
    found = corrupt(Bright(), greys(0.47, 0.37, 0.1, labels=[0, 0, 0]), changes="brightness", inputs=3)
    turned = ~found.right[:, 0]
    assert turned[2].tolist() == [False] * 5
    assert turned[0].tolist() in ([True] * 5, [False] * 5)
    assert turned[1].tolist() in ([False, False, True, True, True], [False] * 5)
    assert found.accuracy.mean == 1
    assert found.at("brightness", 5).mean == pytest.approx(1 - turned[:, 4].mean())
    assert found.mean_corruption_error.mean == pytest.approx(turned.mean())


def test_a_change_that_draws_both_ways_does_both() -> None:
    data = greys(*[0.47] * 40, labels=[0] * 40)
    found = corrupt(Bright(), data, changes="brightness", severities="5")
    # Light or dark by the toss of a coin: 40 heads, or 40 tails, have a chance of 2 in a million million.
    assert 0 < found.right.mean() < 1
    assert np.array_equal(found.right, corrupt(Bright(), data, changes="brightness,fog", severities="5").right[:, :1])


def test_the_most_harmful_change_of_a_class_is_the_one_that_turns_it() -> None:
    # Fog makes dark images lighter and never the other way round; rotating a grey image darkens its corners.
    found = corrupt(Bright(), greys(*[0.45] * 6, *[0.9] * 6, labels=[0] * 6 + [1] * 6), changes="rotation,fog")
    harms = found.harms()
    assert harms["a"].clean_error.mean == 0
    assert harms["b"].change is None or harms["b"].error.mean > 0
    errors = {name: 1 - found.right[:6, place].mean() for place, name in enumerate(found.changes)}
    assert harms["a"].change == (max(errors, key=lambda name: errors[name]) if max(errors.values()) else None)
    assert json.loads(json.dumps(found.summary()))["most_harmful"]["a"]["inputs"] == 6


def test_the_changed_set_is_what_the_model_saw(tmp_path: Path) -> None:
    data = greys(0.47, 0.37, 0.61, labels=[0, 0, 1], channels=3)
    out = tmp_path / "changed.npz"
    found = corrupt(Bright(), data, out, changes="brightness,jpeg", severities="2,5", inputs=2)
    with np.load(out) as file:
        assert file["x"].shape == (8, 8, 8, 3)
        assert file["x"].dtype == np.uint8
        assert file["y"].tolist() == [0, 0] * 4
        assert file["change"].tolist() == ["brightness"] * 4 + ["jpeg"] * 4
        assert file["severity"].tolist() == [2, 2, 5, 5] * 2
        assert file["id"].tolist() == ["0", "1"] * 4
    opened = examples(str(out))
    assert opened.classes == ("a", "b")
    batch = opened.batch(range(8))
    assert batch.labels is not None
    answers = Bright()(batch.inputs).argmax(dim=1)
    seen = found.right.transpose(1, 2, 0).reshape(-1)
    assert torch.eq(answers, batch.labels).tolist() == seen.tolist()


def test_a_changed_set_can_be_ranked_and_covered(tmp_path: Path) -> None:
    out = tmp_path / "changed.npz"
    corrupt("zoo:lenet1", "mnist5k", out, changes="rotation", severities="3", inputs=40)
    assert len(rank("zoo:lenet1", str(out)).table()) == 40
    assert cover("zoo:lenet1", str(out), criteria="nc").summary()["nc"] > 0


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = corrupt("zoo:lenet1", "mnist5k", changes="gaussian_noise,rotation", severities="5", inputs=50)
    monkeypatch.setattr("unnerve.studies.corrupt.corrupt._BLOCK", 32)
    parts = corrupt("zoo:lenet1", "mnist5k", changes="gaussian_noise,rotation", severities="5", inputs=50)
    assert np.array_equal(whole.right, parts.right)
    assert [one.id for one in whole.shown] == [one.id for one in parts.shown]


def test_without_labels_answers_are_compared_with_those_before() -> None:
    found = corrupt(Bright(), greys(0.47, 0.1), changes="brightness")
    assert not found.labelled
    assert found.accuracy.mean == 1
    assert found.right[1].all()
    assert "answers kept" in found.headline()


def test_examples_show_a_right_answer_that_turns() -> None:
    found = corrupt(Bright(), greys(0.55, *[0.47] * 30, labels=[0] + [0] * 30), changes="brightness")
    (one,) = found.shown
    assert one.turned
    assert one.id != "0", "it is answered wrongly from the start"
    assert one.images.shape == (6, 1, 8, 8)
    assert one.answers[0] == 0
    assert one.answers[-1] == 1


def test_a_model_that_is_mostly_wrong_is_told() -> None:
    data = greys(*[0.3] * 20, labels=[0, 1] * 10)
    with pytest.warns(DoubtfulAnswers, match="10 of 20 answers are right, which is near chance"):
        found = corrupt(Bright(), data, changes="brightness", severities="1")
    assert any("10 of 20 answers are right" in text for text in found.summary()["warnings"])
    assert any("10 of 20 answers are right" in text for text in corruption_page(found, "", "").caveats)


def test_grey_images_undergo_all_changes_but_saturation() -> None:
    grey, coloured = (
        corrupt(Bright(), greys(0.47, labels=[0], channels=channels), severities="1").changes for channels in (1, 3)
    )
    assert len(coloured) == 15
    assert set(coloured) - set(grey) == {"saturation"}


@pytest.mark.parametrize("changes", ["rotation,rotation,fog", ["gaussian-noise", "gaussian_noise"]])
def test_a_change_that_is_named_twice_is_refused(changes: str | list[str]) -> None:
    with pytest.raises(InvalidSetting, match="changes must be all or some, each once, got"):
        corrupt(Bright(), greys(0.47, labels=[0]), changes=changes)


def test_mistakes_are_named(tmp_path: Path) -> None:
    data = greys(0.47, labels=[0])
    with pytest.raises(InvalidSetting, match=r"changes must be all or some of brightness, .*, fog, got 'nonsense'"):
        corrupt(Bright(), data, changes="nonsense")
    # Known, and not for these: sounds have a gain, colours a saturation.
    for other in ("gain", "fog,saturation"):
        with pytest.raises(InvalidSetting, match=f"fog, got '{other.removeprefix('fog,')}'"):
            corrupt(Bright(), data, changes=other)
    with pytest.raises(InvalidSetting, match="severities must be some of 1,2,3,4,5, each once, got '0,6'"):
        corrupt(Bright(), data, severities="0,6")
    with pytest.raises(InvalidSetting, match="the number of inputs must be >= 1, got 0"):
        corrupt(Bright(), data, inputs=0)
    with pytest.raises(OutputRefused, match=r"a changed set is written as \.npz"):
        corrupt(Bright(), data, tmp_path / "a.png")
    with pytest.raises(InvalidData, match="natural changes take images"):
        corrupt(nn.Linear(2, 2), tensors(torch.rand(3, 2)))


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        corrupt(Bright(), greys(0.47, labels=[0]), tmp_path / "a.npz", changes="jpeg", progress=stop)
    assert list(tmp_path.iterdir()) == []
