"""Data in the order of a ranking."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
import torch

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.studies.hunt._ordered import ordered
from unnerve.subjects.datasets.tensors import tensors

DATA = tensors(torch.zeros(4, 1, 2, 2), torch.zeros(4, dtype=torch.int64))


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_hunt_begins_with_the_most_suspect(suffix: str, tmp_path: Path) -> None:
    model, data = unnerve.model("zoo:lenet1"), unnerve.examples("mnist5k", limit=60)
    ranking = unnerve.rank(model, data, score="pd")
    ranking.save(tmp_path / f"r{suffix}")
    table = ranking.table().to_pydict()
    right = [
        one for one, label, said in zip(table["id"], table["label"], table["predicted"], strict=True) if label == said
    ]
    for order in (str(tmp_path / f"r{suffix}"), ranking):
        out = str(tmp_path / type(order).__name__)
        found = unnerve.hunt(model, data, "pgd:steps=1", out, order=order, inputs=5, region="linf:0.1")
        assert list(found.store.labels()) == right[:5]
    assert "looked_at" not in found.plan.data.details, "the accuracy on suspect inputs is not that on the data"


def test_the_smallest_rank_comes_first_whatever_the_order_of_rows(tmp_path: Path) -> None:
    ids = DATA.ids()
    (tmp_path / "r.csv").write_text(f"id,rank\n{ids[0]},9\n{ids[3]},2\n{ids[2]},5\n")
    assert ordered(DATA, str(tmp_path / "r.csv")).ids() == (ids[3], ids[2], ids[0])


def named(ids: Sequence[str]) -> Examples:
    data = tensors(torch.rand(len(ids), 1, 28, 28), torch.zeros(len(ids), dtype=torch.int64))
    return replace(data, names=ids)


STRANGE = ("\x1b[31mred", "=1+1", "\ta\n\u202eb", "-0.5", "'quoted", "plain")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_ids_are_found_as_rank_writes_them(suffix: str, tmp_path: Path) -> None:
    data = named(STRANGE)
    ranking = unnerve.rank("zoo:lenet1", data)
    path = tmp_path / f"r{suffix}"
    ranking.save(path)
    assert ordered(data, path).ids() == ordered(data, ranking).ids() == tuple(ranking.table()["id"].to_pylist())
    by_hand = tmp_path / "r.csv"
    by_hand.write_text("id,rank\n=1+1,1\n")
    assert ordered(data, by_hand).ids() == ("=1+1",)


def test_an_id_that_stands_for_several_is_refused_where_they_look_alike(tmp_path: Path) -> None:
    data = named(("a\x1b", "a\u241b"))
    ranking = unnerve.rank("zoo:lenet1", data)
    for suffix in (".csv", ".parquet"):
        ranking.save(tmp_path / f"r{suffix}")
    assert set(ordered(data, tmp_path / "r.parquet").ids()) == set(data.ids())
    with pytest.raises(InvalidData, match=r"r\.csv: 'a\u241b' stands for 2 inputs of .*; rank to a \.parquet file"):
        ordered(data, tmp_path / "r.csv")


@pytest.mark.parametrize(
    ("name", "text", "kind", "message"),
    [
        ("r.csv", "id,score\n0,1\n", InvalidData, "has the columns id and rank, got id, score"),
        ("r.csv", "id,rank\nother,1\n", InvalidData, "'other' is not in"),
        ("r.csv", "id,rank\n0,first\n", InvalidData, "ranks must be numbers"),
        ("r.parquet", "no", InvalidData, "not a ranking that can be read"),
        ("r.txt", "", InvalidSetting, "a ranking is a .csv or .parquet file"),
    ],
)
def test_what_is_no_ranking_is_refused(
    name: str, text: str, kind: type[Exception], message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(kind, match=message):
        ordered(DATA, str(tmp_path / name))
