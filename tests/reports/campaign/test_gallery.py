"""The findings that are shown."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.reports.campaigns import Hunted
from unnerve.campaign.store import Store
from unnerve.core.facts import RegionFacts
from unnerve.reports.campaign import gallery as gallery_module
from unnerve.reports.campaign.evidence import Evidence, evidence
from unnerve.reports.campaign.gallery import gallery
from unnerve.reports.campaign.heat_map import heat_map
from unnerve.reports.campaign.sample import sample
from unnerve.reports.parts.thumbnails import Thumbnail


def pixels(picture: Thumbnail | None) -> np.ndarray:
    assert picture is not None
    data = base64.b64decode(picture.uri.partition(",")[2])
    return np.asarray(Image.open(io.BytesIO(data)), dtype=float)


def made(folder: Path, **changes: object) -> Evidence:
    return evidence([Hunted().but(**changes).campaign(folder)])


def test_a_finding_is_told_in_words_and_pictures(tmp_path: Path) -> None:
    found = made(tmp_path / "a")
    shown = gallery(found, sample(found))
    assert len(shown.findings) == 76
    assert len(shown.originals) == 11
    table = {row["id"]: row for row in found.campaigns[0].findings.to_pylist()}
    seeds = found.campaigns[0].store.seeds(row["seed_id"] for row in table.values())
    for one in shown.findings[:10]:
        row = table[one.id]
        values = np.frombuffer(row["input"], dtype=np.float32).reshape(8, 8)
        seed = seeds[row["seed_id"]][0]
        assert one.seed == row["seed_id"]
        assert one.label == found.classes[one.before] == found.classes[row["label"]]
        assert found.classes[one.after] == found.classes[row["after"]]
        assert (one.confidence_before, one.step, one.queries) == ("90 %", row["step"], row["queries"])
        assert one.l0 == "64 of 64 pixels"
        np.testing.assert_allclose(pixels(one.found), np.rint(255 * values))
        np.testing.assert_allclose(pixels(shown.originals[one.original]), np.rint(255 * seed))
        assert one.scale == "0.1"
        heat = 255 * np.moveaxis(heat_map((values - seed)[None], 0.1), 0, -1)
        np.testing.assert_allclose(pixels(one.difference), heat, atol=1)


@pytest.mark.parametrize(("norm", "scale"), [("linf", "8/255"), ("l2", "0.25")])
def test_the_scale_is_the_radius_where_it_bounds_each_pixel(norm: str, scale: str) -> None:
    change = np.zeros((1, 4, 4), dtype=np.float32)
    change[0, 0, 0] = -0.25
    region = RegionFacts({"name": norm}, f"{norm}:8/255", size=8 / 255, norm=norm)
    picture, shown = gallery_module._difference(change, region)
    assert shown == scale
    assert pixels(picture)[0, 0].sum() > 600
    assert pixels(picture)[1, 1].sum() < 100


def test_changes_of_clips_are_told_in_decibels_too(tmp_path: Path) -> None:
    found = made(tmp_path / "a", shape=(40,), region="snr:20")
    rows = {row["id"]: row for row in found.campaigns[0].findings.to_pylist()}
    seeds = found.campaigns[0].store.seeds(row["seed_id"] for row in rows.values())
    shown = gallery(found, sample(found)).findings
    for one in shown[:5]:
        row = rows[one.id]
        seed, values = seeds[row["seed_id"]].ravel(), np.frombuffer(row["input"], dtype=np.float32)
        powers = [float(np.square(wave.astype(np.float64)).sum()) for wave in (seed, values - seed)]
        number, unit = one.quieter.split()
        assert unit == "dB"
        assert float(number) == pytest.approx(10 * np.log10(powers[0] / powers[1]), rel=5e-3)
    other = made(tmp_path / "b", shape=(40,), region="l2:1")
    assert {one.quieter for one in gallery(other, sample(other)).findings} == {""}


def test_vectors_have_no_pictures_but_their_largest_changes(tmp_path: Path) -> None:
    found = made(tmp_path / "a", shape=(40,), each=1)
    one = gallery(found, sample(found)).findings[0]
    assert one.found is one.difference is None
    assert one.l0.endswith(" of 40 values")
    assert one.values.startswith("value ")
    assert one.values.count(" to ") == 3


def test_shards_without_chosen_findings_are_not_read_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(tmp_path / "a")
    read: list[str] = []
    true = Store.read

    def noted(store: Store, shard: object, columns: list[str] | None = None, **more: object) -> object:
        read.append(shard.name)  # type: ignore[attr-defined]
        return true(store, shard, columns, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Store, "read", noted)
    gallery(found, np.array([0, 1]))
    assert read == [found.shards[0][1].name]


def test_a_few_inputs_are_in_memory_at_a_time_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = made(tmp_path / "a")
    whole = gallery(found, sample(found))
    monkeypatch.setattr(gallery_module, "_IN_MEMORY", 4 * 64 * 7)
    assert gallery(found, sample(found)) == whole


def test_pictures_end_where_the_page_would_be_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(tmp_path / "a", shape=(3, 64, 64))
    monkeypatch.setattr(gallery_module, "_PICTURES", 100_000)
    shown = gallery(found, sample(found))
    assert 0 < len(shown.findings) < 20
    size = sum(len(one.found.uri) + len(one.difference.uri) for one in shown.findings if one.found and one.difference)
    assert size <= 100_000


def test_classes_without_names_have_numbers(tmp_path: Path) -> None:
    found = made(tmp_path / "a", classes=())
    one = gallery(found, sample(found)).findings[0]
    assert one.label == found.classes[one.before]
    assert found.classes == ("class 0", "class 1", "class 2", "class 3")


def test_changes_are_told_in_the_norm_of_the_region(tmp_path: Path) -> None:
    shown = gallery(found := made(tmp_path / "a"), sample(found))
    assert shown.norm == "L\u221e"
    assert sorted({one.change or 0 for one in shown.findings}) == pytest.approx([0.025, 0.05, 0.075, 0.1], rel=1e-3)
    assert shown.findings[0].reach == shown.findings[0].linf
    steps = gallery(found := made(tmp_path / "b", region="linf:8/255"), sample(found))
    assert max((one.change or 0, one.reach) for one in steps.findings)[1] == "8/255"
    two = [Hunted().campaign(tmp_path / "c"), Hunted(region="l2:0.5").campaign(tmp_path / "d")]
    mixed = gallery(found := evidence(two), sample(found))
    assert (mixed.norm, mixed.findings[0].reach) == ("L2", mixed.findings[0].l2)
