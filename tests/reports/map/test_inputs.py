"""The inputs that a map's report shows."""

import base64
import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.reports.maps import Mapped
from unnerve.reports.map.inputs import input_shape, shown
from unnerve.reports.map.sample import sample
from unnerve.reports.parts.thumbnails import Thumbnail


def pixels(picture: Thumbnail | None) -> np.ndarray:
    assert picture is not None
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture.uri.partition(",")[2]))), dtype=float)


def test_an_input_is_told_in_words_and_shown_as_it_was_stored(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    dots = sample(found)
    there = shown(found, dots, input_shape(found))
    assert there.classes == ("zero", "one", "two", "three")
    seeds = found.campaign.store.seeds(found.groups["benign"].ids)
    findings = {row["id"]: row for row in found.campaign.findings.to_pylist()}
    for one, dot in zip(there.inputs, dots, strict=True):
        group = list(found.groups.values())[dot.group]
        assert one.id == group.ids[dot.row]
        assert (one.label, one.predicted) == (group.label[dot.row], group.predicted[dot.row])
        values = seeds[one.id] if dot.group == 0 else np.frombuffer(findings[one.id]["input"], np.float32).reshape(8, 8)
        np.testing.assert_allclose(pixels(one.picture), np.rint(255 * values.reshape(8, 8)))
        if dot.group:
            assert one.original is not None
            assert there.inputs[one.original].id == one.seed
            assert there.inputs[one.original].group == 0
        else:
            assert one.original is None
    by_group = {place: {one.pattern for one in there.inputs if one.group == place} for place in range(5)}
    assert by_group == {0: {"HL"}, 1: {"LH"}, 2: {"HL"}, 3: {"LH"}, 4: {"HL"}}
    strongest = next(one for one in there.inputs if one.group == 2)
    assert strongest.figures == {"pcs": "0.905", "vro": "0.1", "vr": "0.05", "predictive_entropy": "0.05", "mi": "0.05"}


def test_pictures_take_no_more_room_than_there_is(tmp_path: Path) -> None:
    found = Mapped().found(tmp_path / "a")
    dots = sample(found)
    whole = shown(found, dots, (1, 8, 8))
    sizes = [len(one.picture.uri) for one in whole.inputs if one.picture]
    assert whole.pictures == len(sizes) == 50
    half = shown(found, dots, (1, 8, 8), room=sum(sizes[:20]))
    assert [one.picture is not None for one in half.inputs] == [True] * 20 + [False] * 30


@pytest.mark.parametrize("shape", [(40,), (2, 5, 5)])
def test_what_is_no_image_has_no_picture(tmp_path: Path, shape: tuple[int, ...]) -> None:
    found = Mapped().but(shape=shape).found(tmp_path / "a")
    assert input_shape(found) == shape
    assert shown(found, sample(found), shape).pictures == 0


def test_without_labels_and_names_of_classes(tmp_path: Path) -> None:
    found = Mapped().but(labels=False, oracle="changed", classes=()).found(tmp_path / "a")
    there = shown(found, sample(found), (1, 8, 8))
    assert {one.label for one in there.inputs} == {None}
    assert there.classes == ("class 0", "class 1", "class 2", "class 3")


def test_only_classes_that_are_met_are_named(tmp_path: Path) -> None:
    classes = tuple(f"c{number}" for number in range(1000))
    found = Mapped().but(classes=classes, seeds=5).found(tmp_path / "a")
    there = shown(found, sample(found), (1, 8, 8))
    assert set(there.classes) <= set(classes[:10])
    for one in there.inputs:
        assert one.label is not None
        assert there.classes[one.label] == f"c{found.campaign.store.labels()[one.seed]}"
