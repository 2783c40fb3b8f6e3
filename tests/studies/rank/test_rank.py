from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
import torch
from torch import Tensor

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, OutputRefused, UnknownName
from unnerve.core.masks import Masks
from unnerve.core.methods import Score
from unnerve.core.streams import Streams
from unnerve.measure.scores.pd import pd
from unnerve.measure.scores.random import random as random_score
from unnerve.measure.scores.vr import vr
from unnerve.measure.scores.vro import vro
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.rank.rank import rank
from unnerve.studies.rank.result import Ranking, writable_table
from unnerve.studies.rank.scored import most_suspect_first, scored
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.dropout import with_dropout

SURE = [[0.9, 0.1, 0.0], [0.4, 0.3, 0.3], [0.0, 0.5, 0.5], [0.1, 0.2, 0.7], [0.4, 0.3, 0.3]]


def pixels(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1)


@pytest.fixture
def model() -> BlackBox:
    """Return a model whose answer is its input."""
    return BlackBox(pixels, outputs="probabilities")


@pytest.fixture
def data() -> Examples:
    return tensors(torch.tensor(SURE), torch.tensor([0, 0, 1, 2, 1]), classes="abc")


def test_the_order_by_hand(model: BlackBox, data: Examples) -> None:
    # PD: 0.8 + 0.1/2, 0.1, 0/1 + 0.5/2, 0.5 + 0.1/2, 0.1; the two alike keep their order.
    ranking = rank(model, data)
    assert ranking.score == "pd"
    assert ranking.order.tolist() == [1, 4, 2, 3, 0]
    assert (-ranking.scored.scores["pd"]).tolist() == pytest.approx([0.85, 0.1, 0.25, 0.55, 0.1], abs=1e-5)
    assert len(ranking) == 5


def test_the_table(model: BlackBox, data: Examples) -> None:
    table = rank(model, data).table()
    names = ["id", "score", "rank", "predicted", "confidence", "label"]
    assert table.column_names == [*names, "predicted_name", "label_name"]
    rows = table.to_pydict()
    assert rows["id"] == ["1", "4", "2", "3", "0"]
    assert rows["rank"] == [1, 2, 3, 4, 5]
    assert rows["predicted"] == [0, 0, 1, 2, 0]
    assert rows["confidence"] == pytest.approx([0.4, 0.4, 0.5, 0.7, 0.9])
    assert rows["label"] == [0, 1, 1, 2, 0]
    assert rows["score"] == sorted(rows["score"], reverse=True)


def test_without_labels_the_table_has_none(model: BlackBox) -> None:
    assert rank(model, torch.tensor(SURE)).table().column_names == ["id", "score", "rank", "predicted", "confidence"]


def test_equals_keep_the_datas_order() -> None:
    assert most_suspect_first(np.array([0.5, 0.9, 0.5, 0.9, 0.1, 0.5])).tolist() == [1, 3, 0, 2, 5, 4]
    scores = np.random.default_rng(0).integers(0, 4, 5000).astype(np.float32)
    assert most_suspect_first(scores).tolist() == sorted(range(5000), key=lambda row: -scores[row])


def test_among_equal_probabilities_the_first_is_the_answer(model: BlackBox) -> None:
    uniform = rank(BlackBox(pixels, outputs="probabilities"), torch.full((3, 40), 1 / 40)).scored
    assert uniform.predicted.tolist() == [0, 0, 0]
    assert uniform.runner_up.tolist() == [1, 1, 1]
    mixed = rank(model, torch.tensor([[0.0, 0.5, 0.0, 0.5], [0.1, 0.2, 0.2, 0.5]])).scored
    assert mixed.predicted.tolist() == [1, 3]
    assert mixed.runner_up.tolist() == [3, 1]


def test_the_answers_are_the_models_own(tiny_model: TorchModule, small_data: Examples) -> None:
    answers = rank(tiny_model, small_data).scored
    seen = tiny_model.observe(small_data.batch(range(40)).inputs)
    assert np.array_equal(answers.predicted, seen.predicted.numpy())
    assert np.array_equal(answers.confidence, seen.probabilities.amax(dim=1).numpy())
    assert np.array_equal(answers.runner_up, seen.probabilities.topk(2).indices[:, 1].numpy())
    assert np.array_equal(answers.scores["pd"], pd(seen.probabilities).numpy())


# Scores of dropout


@pytest.fixture
def dropping(tiny_model: TorchModule) -> TorchModule:
    return with_dropout(tiny_model, 0.4)


@pytest.mark.parametrize("score", ["pd", "pv", "pe", "gini", "margin", "max_probability"])
def test_sure_answers_do_not_tie(score: str) -> None:
    # A good network is so sure of most digits that its answers are all 1 in single precision.
    ranking = rank("zoo:lenet5", examples("mnist5k", limit=1000), score)
    values = ranking.scored.scores[score]
    assert values.dtype == np.float64
    assert len(np.unique(values)) == 1000


def test_gini_and_pv_order_alike() -> None:
    data = examples("mnist5k", limit=1000)
    assert np.array_equal(rank("zoo:lenet5", data, "gini").order, rank("zoo:lenet5", data, "pv").order)


def test_scores_of_dropout_get_the_inputs_own_draws(dropping: TorchModule, small_data: Examples) -> None:
    answers = rank(dropping, small_data, "vro", draws=30, seed=3).scored
    batch = small_data.batch(range(40))
    draws = dropping.samples(batch.inputs, Masks(3, batch.ids, draws=30))
    expected = vro(draws, dropping.observe(batch.inputs).probabilities)
    assert np.array_equal(answers.scores["vro"], expected.numpy())
    assert len(np.unique(answers.scores["vro"])) > 5


def test_several_scores_share_the_draws(dropping: TorchModule, small_data: Examples) -> None:
    methods: dict[str, Score] = {"vr": vr, "vro": vro, "pd": pd, "random": random_score}
    together = scored(dropping, small_data, methods, draws=20).scores
    for name in ("vr", "vro", "pd"):
        assert np.array_equal(
            together[name], scored(dropping, small_data, {name: methods[name]}, draws=20).scores[name]
        )


def test_blocks_of_draws_do_not_matter(dropping: TorchModule, small_images: Tensor) -> None:
    many = tensors(small_images.repeat(10, 1, 1, 1))
    whole = rank(dropping, many, "vro", draws=5).scored.scores["vro"]
    batch = many.batch(range(400))
    draws = dropping.samples(batch.inputs, Masks(0, batch.ids, draws=5))
    assert np.array_equal(whole, vro(draws, dropping.observe(batch.inputs).probabilities).numpy())


def test_a_model_without_dropout_is_told_what_to_do(tiny_model: TorchModule, model: BlackBox, data: Examples) -> None:
    with pytest.raises(InvalidModel, match="vro needs dropout, which pixels does not offer; choose a black-box method"):
        rank(model, data, "vro")
    with pytest.raises(InvalidModel, match=r"tiny has no dropout .* give it some: `dropout` RATE"):
        rank(tiny_model, torch.zeros(3, 1, 8, 8), "vro")
    with pytest.raises(InvalidSetting, match="draws must be >= 1, got 0"):
        rank(with_dropout(tiny_model, 0.5), torch.zeros(3, 1, 8, 8), "vro", draws=0)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_saves_the_whole_table(tmp_path: Path, model: BlackBox, data: Examples, suffix: str) -> None:
    path = tmp_path / f"ranking{suffix}"
    path.write_text("old")
    ranking = rank(model, data)
    ranking.save(path)
    read = pyarrow.csv.read_csv if suffix == ".csv" else pyarrow.parquet.read_table
    stored, made = read(path).to_pydict(), ranking.table().to_pydict()
    assert list(stored) == list(made)
    assert [str(name) for name in stored.pop("id")] == made.pop("id")
    for name, column in made.items():
        assert stored[name] == (column if name.endswith("_name") else pytest.approx(column, rel=1e-6))
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_a_failing_write_leaves_the_old_file(
    tmp_path: Path, model: BlackBox, data: Examples, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_table: object, part: Path) -> None:
        part.write_text("half")
        raise OSError(28, "No space left on device")

    path = tmp_path / "ranking.csv"
    path.write_text("old")
    monkeypatch.setattr("pyarrow.csv.write_csv", full)
    with pytest.raises(OutputRefused, match=r"cannot write .*ranking\.csv: No space left on device"):
        rank(model, data).save(path)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["ranking.csv"]


@pytest.mark.parametrize("name", ["nowhere/ranking.csv", "ranking.xlsx", "ranking", "."])
def test_refuses_before_any_work_where_it_cannot_write(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputRefused, match=r"cannot write|a ranking is written as \.csv or \.parquet, got"):
        writable_table(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_random_order_depends_on_the_seed_and_the_ids_alone(model: BlackBox, tiny_model: TorchModule) -> None:
    many = torch.tensor(SURE).repeat(8, 1)
    first = rank(model, many, "random", seed=0)
    assert sorted(first.order) == list(range(40))
    assert np.array_equal(first.order, rank(model, many.flip(0), "random", seed=0).order)
    assert not np.array_equal(first.order, rank(model, many, "random", seed=1).order)
    expected = Streams(0, map(str, range(40))).uniform(0, 0, ())
    assert np.array_equal(first.scored.scores["random"], expected.numpy())


def test_one_pass_serves_several_scores(data: Examples) -> None:
    calls = []

    def counting(x: np.ndarray) -> np.ndarray:
        calls.append(len(x))
        return pixels(x)

    found = scored(BlackBox(counting), data, {"pd": pd, "mine": lambda probabilities: probabilities[:, 2]})
    assert sum(calls) == 5
    assert list(found.scores) == ["pd", "mine"]
    assert found.scores["mine"].tolist() == pytest.approx([0, 0.3, 0.5, 0.7, 0.3], abs=1e-5)


def test_blocks_do_not_change_the_result(model: BlackBox) -> None:
    many = torch.from_numpy(np.random.default_rng(0).dirichlet([1, 1, 1], 2500).astype(np.float32))
    steps: list[tuple[int, int]] = []
    ranking = rank(model, many, progress=lambda *step: steps.append(step))
    assert steps == [(1024, 2500), (2048, 2500), (2500, 2500)]
    assert np.array_equal(ranking.order, most_suspect_first(pd(model.observe(many).probabilities).numpy()))


def test_the_users_own_score(model: BlackBox, data: Examples) -> None:
    def third(probabilities: Tensor) -> Tensor:
        return probabilities[:, 2]

    ranking = rank(model, data, third)
    assert ranking.score == "third"
    assert ranking.order.tolist() == [3, 2, 1, 4, 0]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (lambda uniform, weights: uniform, "score <lambda> needs weights, which a ranking does not have"),
        (lambda probabilities: probabilities, r"one finite number per input, got shape \(5, 3\)"),
        (lambda probabilities: probabilities[:, 0] / 0, "a score must return one finite number per input"),
    ],
)
def test_refuses_scores_it_cannot_use(
    model: BlackBox, data: Examples, score: Callable[[Tensor], Tensor], words: str
) -> None:
    with pytest.raises(InvalidSetting, match=words):
        rank(model, data, score)


@pytest.mark.parametrize("said", [{"draws": 10}, {"dropout": 0.3}])
def test_refuses_draws_that_no_score_needs(model: BlackBox, data: Examples, said: dict[str, Any]) -> None:
    words = rf"^`{next(iter(said))}` needs a `score` of dropout: mutual_information, "
    with pytest.raises(InvalidSetting, match=words):
        rank(model, data, "pd", **said)
    with pytest.raises(InvalidSetting, match=words):
        evaluate_ranking(model, data, ["pd", lambda probabilities: probabilities[:, 0]], **said)


def test_refuses_labels_the_model_does_not_know(model: BlackBox) -> None:
    with pytest.raises(InvalidData, match=r"labels must be in \[0, 2\], the 3 classes of pixels, got 3"):
        rank(model, tensors(torch.tensor(SURE), torch.tensor([0, 0, 1, 3, 1])))


def test_refuses_unknown_scores_before_reading_data(model: BlackBox, data: Examples) -> None:
    with pytest.raises(UnknownName, match="unknown score 'pdd'; did you mean pd"):
        rank(model, data, "pdd")


def test_is_the_public_function(tiny_model: TorchModule, small_images: Tensor) -> None:
    assert isinstance(unnerve.rank(tiny_model, small_images, score="gini"), Ranking)


def test_no_cell_of_a_csv_file_is_a_formula(tiny_model: TorchModule, small_images: Tensor, tmp_path: Path) -> None:
    names = ["=1+1", "-2", "@SUM(A1)", "cat\x1b[31m.png"]
    rows = replace(tensors(small_images[:4]), names=names)
    ranking = rank(tiny_model, rows, "pd")
    ranking.save(tmp_path / "r.csv")
    ranking.save(tmp_path / "r.parquet")
    shown = {line.partition(",")[0].strip('"') for line in (tmp_path / "r.csv").read_text().splitlines()[1:]}
    assert shown == {"'=1+1", "-2", "'@SUM(A1)", "cat\u241b[31m.png"}
    assert set(pyarrow.parquet.read_table(tmp_path / "r.parquet")["id"].to_pylist()) == set(names)


def test_names_of_classes_follow_the_numbers(model: BlackBox) -> None:
    named = tensors(torch.tensor(SURE), torch.tensor([0, 0, 1, 1, 1]), classes=("cat", "dog"))
    table = rank(model, named).table()
    assert table.column_names[-3:] == ["label", "predicted_name", "label_name"]
    rows = table.to_pylist()
    assert {row["label_name"] for row in rows} == {"cat", "dog"}
    assert all(row["predicted_name"] == {0: "cat", 1: "dog"}.get(row["predicted"], "2") for row in rows)
