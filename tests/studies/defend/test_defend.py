"""Defend: who is right about whom, counted by hand; and what is refused."""

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import unnerve
from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting, UnknownName
from unnerve.core.model import Capability
from unnerve.generate.transforms.bit_depth import BitDepth
from unnerve.mend.defences.mutation import Mutation
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import small_images, tiny_model, tiny_net

module = importlib.import_module("unnerve.studies.defend.defend")  # the package shows the function of that name


@dataclass(frozen=True)
class Paranoid:
    """A detector that suspects everything."""

    needs = Capability.ANSWERS

    def calibrated(self, subject: Any, clean: Any) -> "Paranoid":
        assert len(clean) >= 20
        return self

    def suspicion(self, subject: Any, x: Tensor) -> Tensor:
        return torch.ones(len(x))


def data() -> Any:
    images = torch.cat([small_images(), small_images().flip(-1), small_images().flip(-2)])
    labels = tiny_model().observe(images).predicted
    return tensors(images, labels, classes="abcd", name="small")


def test_counts(tmp_path: Path) -> None:
    unnerve.hunt(tiny_net(), data(), "pgd", str(tmp_path / "common"), region="linf:0.3", inputs=10)
    unnerve.hunt(
        tiny_net(), data(), "kuk:population=12,iterations=6,mutation=0.1", str(tmp_path / "rare"), pattern="LL",
        dropout=0.3, draws=10, region="linf:0.3", inputs=6,
    )  # fmt: skip
    campaigns = f"{tmp_path / 'common'},{tmp_path / 'rare'}"
    steps: list[tuple[int, int]] = []
    defences = [Paranoid(), "bit_depth:8", "squeezing"]
    found = unnerve.defend(
        tiny_net(), data(), campaigns, defences, inputs=30, progress=lambda *step: steps.append(step)
    )
    assert steps == [(1, 3), (2, 3), (3, 3)]
    by_place = {(row.defence, row.group): row for row in found.rows}
    paranoid = next(name for name in found.defences if name.endswith("Paranoid"))
    assert (by_place[paranoid, "clean"].held, by_place[paranoid, "clean"].inputs) == (0, 30)
    pgd = by_place[paranoid, "pgd in common"]
    assert (pgd.held, pgd.adversarial) == (pgd.inputs, pgd.inputs)
    rare = by_place[paranoid, "kuk LL"]
    assert rare.uncommon
    assert rare.held == rare.adversarial
    assert by_place["none", "pgd in common"].held == 0
    assert by_place["bit_depth:8", "clean"].held >= 28
    total = found.total("none", uncommon=False)
    assert total is not None
    assert total.inputs == 30 + pgd.inputs
    assert found.summary()["calibration"]["squeezing"]["threshold"] is not None
    assert "kuk LL" in found.text()
    assert found.table().num_rows == len(found.summary()["rows"])


def test_refuses(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="unknown defence 'jpg'"):
        unnerve.defend(tiny_net(), data(), defences="jpg")
    with pytest.raises(InvalidData, match="14 inputs are left to calibrate with"):
        unnerve.defend(tiny_net(), data().take(range(40)))
    with pytest.raises(InvalidData, match="labelled inputs"):
        unnerve.defend(tiny_net(), tensors(small_images(), name="bare"))
    box = BlackBox(lambda x: x.reshape(len(x), -1)[:, :4], "box", "logits")
    answered = tensors(data().batch(range(120)).inputs, box.observe(data().batch(range(120)).inputs).predicted,
                       classes="abcd")  # fmt: skip
    with pytest.raises(InvalidModel, match=r"needs an nn\.Module, and box is none"):
        unnerve.defend(box, answered, defences="mutation", inputs=20)


@dataclass(frozen=True)
class Unasked(Paranoid):
    """A detector that nobody may ask."""

    def calibrated(self, subject: Any, clean: Any) -> "Unasked":
        raise AssertionError("nothing is to be run before every defence is checked")


@pytest.mark.parametrize(
    ("named", "wanted"),
    [
        ("quilting:patch=40", r"^patch must be <= 8, the side of the images, got 40$"),
        ("activation_classifier:layer=none_such", r"^layer must be one of .*, got 'none_such'$"),
    ],
)
def test_defences_are_checked_before_one_is_run(named: str, wanted: str) -> None:
    with pytest.raises(InvalidSetting, match=wanted):
        unnerve.defend(tiny_net(), data(), (), [Unasked(), named], inputs=30)


@pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")
def test_a_program_is_refused_as_soon_as_it_is_named() -> None:
    program = torch.jit.trace(tiny_net(), small_images()[:2])
    with pytest.raises(InvalidModel, match="TorchScript"):
        unnerve.defend(program, data(), (), [Unasked(), "distillation"], inputs=30)


def test_all_leaves_out_what_a_model_cannot_take() -> None:
    box = BlackBox(lambda x: x.reshape(len(x), -1)[:, :4], "box", "logits")
    inputs = data().batch(range(120)).inputs
    answered = tensors(inputs, box.observe(inputs).predicted, classes="abcd")
    found = unnerve.defend(box, answered, inputs=20)
    assert list(found.left_out) == ["activation_classifier", "distillation", "label_smoothing", "mutation"]
    assert {"none", "squeezing", "bit_depth", "quilting"} < set(found.defences)
    assert found.left_out["mutation"] == "mutation changes weights: it needs an nn.Module, and box is none"
    assert found.summary()["left_out"] == found.left_out
    assert f"mutation was left out: {found.left_out['mutation']}." in found.text()


def test_all_leaves_out_what_learns_too_little(monkeypatch: pytest.MonkeyPatch) -> None:
    few = Mutation(mutants=40, rate=0.9, kept=0.99)
    named = [("mutation", few), ("bit_depth", BitDepth())]
    monkeypatch.setattr(module, "defences_named", lambda _: named)
    found = unnerve.defend(tiny_net(), data(), inputs=30)
    assert found.defences == ["none", "bit_depth"]
    assert "mutate less than rate=0.9" in found.left_out["mutation"]
    with pytest.raises(InvalidSetting, match=r"mutate less than rate=0.9"):
        unnerve.defend(tiny_net(), data(), (), "mutation,bit_depth", inputs=30)


def test_few_inputs_are_shared_between_testing_and_calibrating() -> None:
    found = unnerve.defend(tiny_net(), data(), defences="bit_depth:8")
    assert {row.inputs for row in found.rows} == {40}


def test_attacks_that_know_the_defence() -> None:
    found = unnerve.defend(
        tiny_net(), data(), (), ["bit_depth:3", "label_smoothing:epochs=40,rate=0.01", "squeezing"], inputs=30,
        adaptive=True, adaptive_inputs=8, region="linf:0.3", steps=15,
    )  # fmt: skip
    by_place = {(row.defence, row.group): row for row in found.rows}
    for name in found.defences:
        row = by_place[name, "adaptive"]
        assert row.inputs == 8
        # A model that was trained anew on a few inputs may answer all of them alike, and then nothing moves it.
        assert row.held <= 6 or row.kind == "model", name
    assert by_place["label_smoothing:epochs=40,rate=0.01", "clean"].kind == "model"
    common = found.total("squeezing", uncommon=False)
    assert common is not None
    assert common.inputs == 30, "attacks that know the defence are counted by themselves"
    assert "adaptive" in found.text()
    assert found.provenance is not None
    assert "against" not in found.provenance.call.settings


@dataclass(frozen=True)
class Watching(Paranoid):
    """A detector that keeps which inputs it has learnt from."""

    ids: str = ""

    def calibrated(self, subject: Any, clean: Any) -> "Watching":
        return Watching(",".join(clean.ids()))


def test_detectors_do_not_learn_from_inputs_that_are_tested() -> None:
    whole = data()
    # Two of three answers are wrong: the 20 inputs that are tested are the first 60.
    labels = [label if row % 3 == 2 else (label + 1) % 4 for row, label in enumerate(whole.labels.tolist())]
    wrong = tensors(whole.batch(range(len(whole))).inputs, torch.tensor(labels), classes="abcd", name="mostly wrong")
    found = unnerve.defend(tiny_net(), wrong, (), [Watching()], inputs=20)
    (learnt,) = found.calibration.values()
    assert min(map(int, learnt["ids"].split(","))) == 60


def test_a_transform_learns_from_held_out_inputs() -> None:
    found = unnerve.defend(tiny_net(), data(), (), "quilting:patch=3,overlap=1", inputs=30)
    assert found.rows[1].inputs == 30
    learnt = found.summary()["calibration"]["quilting:patch=3,overlap=1"]
    assert learnt["images"] == found.calibrated_with
    assert (learnt["source"], learnt["patches_kept"]) == ("small", min(20_000, found.calibrated_with * 36))


def test_a_stored_threshold_can_be_given_back() -> None:
    first = unnerve.defend(tiny_net(), data(), (), "squeezing", inputs=30)
    learnt = first.calibration["squeezing"]
    assert not learnt["threshold_given"]
    assert first.warnings == ()
    text = f"squeezing:threshold={learnt['threshold']!r}"
    again = unnerve.defend(tiny_net(), data(), (), text, inputs=30, calibration=20)
    assert again.calibration[text]["threshold"] == learnt["threshold"]
    assert again.calibration[text]["threshold_given"]
    assert [row.held for row in again.rows] == [row.held for row in first.rows]
    assert f"{text}: the threshold is the given one, not from calibration." in again.text()


def test_attacks_that_know_the_defence_look_where_the_campaigns_did(tmp_path: Path) -> None:
    for name, region in (("one", "linf:0.25"), ("same", "linf:0.25"), ("other", "l2:1")):
        unnerve.hunt(tiny_net(), data(), "fgsm", str(tmp_path / name), region=region, inputs=3)
    settings: dict[str, Any] = {"inputs": 30, "adaptive": True, "adaptive_inputs": 3, "steps": 2}
    both = [str(tmp_path / name) for name in ("one", "same")]
    found = unnerve.defend(tiny_net(), data(), both, "bit_depth", **settings)
    assert found.region == "linf:0.25"
    assert "an attack in linf:0.25 that knows" in found.text()
    # Where uncommon inputs were hunted is another question.
    unnerve.hunt(
        tiny_net(), data(), "uncommon_ascent:steps=2", str(tmp_path / "uncommon"), pattern="LH",
        dropout=0.3, draws=10, region="linf:0.3", inputs=3,
    )  # fmt: skip
    beside = unnerve.defend(tiny_net(), data(), [*both, str(tmp_path / "uncommon")], "bit_depth", **settings)
    assert beside.region == "linf:0.25"
    mixed = unnerve.defend(tiny_net(), data(), [*both, str(tmp_path / "other")], "bit_depth", **settings)
    assert mixed.region == "linf:8/255", "the usual one"


def test_a_campaign_of_another_model_is_refused(tmp_path: Path) -> None:
    unnerve.hunt(tiny_net(), data(), "fgsm", str(tmp_path / "one"), region="linf:0.2", inputs=3)
    other = tiny_net()
    with torch.no_grad():
        next(other.parameters()).mul_(1.5)
    wanted = r"one was a hunt on another model than \w+: \d of its \d findings are answered otherwise$"
    with pytest.raises(InvalidSetting, match=wanted):
        unnerve.defend(other, data(), str(tmp_path / "one"), "bit_depth", inputs=30)


def test_says_that_a_hardened_model_saw_few_inputs() -> None:
    found = unnerve.defend(tiny_net(), data(), (), "label_smoothing:epochs=1,bit_depth", inputs=30)
    assert found.trained_with == found.calibrated_with
    assert f"label_smoothing:epochs=1: trained on {found.trained_with} inputs only" in found.text()
    assert unnerve.defend(tiny_net(), data(), (), "bit_depth", inputs=30).warnings == ()


def test_refuses_a_region_without_a_norm() -> None:
    with pytest.raises(InvalidSetting, match=r"^region must be a ball of a norm, linf:R or l2:R, got l0:0.1$"):
        unnerve.defend(tiny_net(), data(), (), "bit_depth", inputs=30, adaptive=True, region="l0:0.1")
    with pytest.raises(InvalidSetting, match=r"^steps must be >= 2, got 1$"):
        unnerve.defend(tiny_net(), data(), (), "bit_depth", steps=1)
