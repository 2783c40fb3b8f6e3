import json
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from ray import cloudpickle
from torch import Tensor, nn

import unnerve
from unnerve.cli.main import main
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidSetting, UserError
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build, describe, settings
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.fgsm import FGSM
from unnerve.generate.attacks.foreign.foreign import Foreign, adopted
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
HERE = Path(__file__).with_name("brought.py")


def brought(name: str, **settings: Any) -> Foreign:
    return Foreign(f"{HERE}:{name}", **settings)


def joined(found: list[Candidates]) -> Tensor:
    assert torch.cat([one.seed_index for one in found]).tolist() == list(range(sum(len(one) for one in found)))
    return torch.cat([one.inputs for one in found])


@pytest.mark.parametrize("batch", [1, 4, 99])
def test_a_function_of_the_model_equals_fgsm_and_costs_the_same(
    scene: Scenes, proposals: Proposals, batch: int
) -> None:
    made, plain = scene(range(6)), scene(range(6))
    found = proposals(brought("signs", batch=batch), made, Linf(0.1))
    assert [one.step for one in found] == [0] * -(-6 // batch), "everyone takes one step"
    assert torch.equal(joined(found), proposals(FGSM(), plain, Linf(0.1))[0].inputs)
    assert made[0].model.meter.spent.tolist() == plain[0].model.meter.spent.tolist() == [3] * 6


def test_the_radius_is_the_regions_or_ones_own(scene: Scenes, proposals: Proposals) -> None:
    near, far = (joined(proposals(brought("signs", radius=own), scene([0]), Linf(0.2))) for own in (0.05, None))
    centre = scene([0])[1].batch.inputs
    assert float((near - centre).abs().amax()) == pytest.approx(0.05, abs=1e-6)
    assert float((far - centre).abs().amax()) == pytest.approx(0.2, abs=1e-6)
    with pytest.raises(InvalidSetting, match=r"^the region has no radius: say how far .*:signs may go"):
        proposals(brought("signs"), scene([0]), L0(0.1))
    proposals(brought("signs", radius=0.05), scene([0]), L0(0.1))


@pytest.mark.usefixtures("random_state_stays")
def test_one_by_one_random_numbers_belong_to_the_seed(scene: Scenes, proposals: Proposals) -> None:
    together = joined(proposals(brought("drift"), scene(range(5)), Linf(0.5)))
    for row in (0, 3):
        assert torch.equal(joined(proposals(brought("drift"), scene([row]), Linf(0.5)))[0], together[row])
    subject, seeds, _ = scene(range(5))
    other = joined(proposals(brought("drift"), (subject, seeds, Streams(1, seeds.batch.ids)), Linf(0.5)))
    turned = joined(proposals(brought("drift"), (subject, seeds, Streams(0, seeds.batch.ids, turn=1)), Linf(0.5)))
    noises = [(one - seeds.batch.inputs)[2] for one in (together, other, turned)]
    assert not any(torch.equal(noises[one], noises[two]) for one, two in ((0, 1), (0, 2), (1, 2)))


@pytest.mark.usefixtures("random_state_stays")
def test_all_global_generators_are_seeded_and_given_back(scene: Scenes, proposals: Proposals) -> None:
    def dicey(inputs: Tensor, labels: Tensor) -> Tensor:
        drawn.append((random.random(), np.random.rand(), float(torch.rand(()))))  # noqa: NPY002, S311
        return inputs

    drawn: list[tuple[float, ...]] = []
    for _ in range(2):
        proposals(Foreign.of(dicey), scene([0, 1]), Linf(0.1))
    assert drawn[:2] == drawn[2:]
    assert len({number for draws in drawn for number in draws}) == 6


def test_who_draws_can_be_tried_again_and_who_does_not_cannot(scene: Scenes, proposals: Proposals) -> None:
    for name, draws in (("drift", True), ("signs", False)):
        made = scene(range(3))
        proposals(brought(name), made, Linf(0.1))
        assert made[2].drawn == [draws] * 3


def test_who_never_looks_at_the_model_pays_a_query(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(3))
    proposals(brought("drift"), made, Linf(0.5))
    assert made[0].model.meter.spent.tolist() == [1 + 1] * 3


def test_rows_left_out_of_a_batch_are_charged_right(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(4))
    proposals(brought("picky", batch=4), made, Linf(0.5))
    assert made[0].model.meter.spent.tolist() == [1 + 1, 1 + 2, 1 + 3, 1 + 3]


def test_unwanted_seeds_are_not_attacked(scene: Scenes, proposals: Proposals) -> None:
    made = scene(range(4))
    found = proposals(brought("signs"), made, Linf(0.1), lambda step: torch.tensor([True, False, True, False]))
    assert [one.seed_index.tolist() for one in found] == [[0], [2]]
    assert made[0].model.meter.spent.tolist() == [3, 1, 3, 1]


def test_a_budget_ends_an_attack_where_it_stands(scene: Scenes, proposals: Proposals) -> None:
    subject, seeds, streams = scene(range(3))
    subject.model.meter.budget = 7
    subject.model.meter.spent[1] = 4
    found = joined(proposals(brought("endless"), (subject, seeds, streams), Linf(0.5)))
    assert subject.model.meter.spent.tolist() == [7, 7, 7]
    # Six answers and what the seventh pass would have asked about; the second seed had three left.
    moved = (found - seeds.batch.inputs).flatten(1).median(dim=1).values.tolist()
    assert moved == pytest.approx([0.07, 0.04, 0.07], abs=1e-5)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cropped", r"must return changed inputs of shape \(1, 1, 8, 8\), got \(1, 1, 8, 7\)$"),
        ("silent", r"must return changed inputs of shape \(1, 1, 8, 8\), got NoneType$"),
        ("nothing", r"must return an attack, got NoneType$"),
        ("demanding", r"must take \(inputs, labels\) or \(model, inputs, labels\), but needs one, two, three, four$"),
        ("absent", r"brought.py has no 'absent'; it has .*nudge"),
    ],
)
def test_says_what_is_wrong_with_an_attack(scene: Scenes, proposals: Proposals, name: str, words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        proposals(brought(name), scene([0]), Linf(0.1))


def test_nan_is_the_seeds_misfortune_not_the_runs(scene: Scenes, proposals: Proposals) -> None:
    with pytest.raises(ValueError, match=r":undefined returned NaN or infinite values$"):
        proposals(brought("undefined"), scene([0]), Linf(0.1))


def test_gradients_of_a_black_box_are_refused_answers_are_not(scene: Scenes, proposals: Proposals) -> None:
    box = BlackBox(lambda x: np.stack([x.mean(axis=(1, 2, 3)), x[:, 0, 0, 0] - 1], axis=1), "box", "logits")
    with pytest.raises(InvalidSetting, match=r"^the attack asks for gradients, which box does not offer"):
        proposals(brought("signs"), scene([0], box), Linf(0.1))
    assert proposals(brought("nudge"), scene([0], box), Linf(0.1))


def test_a_missing_package_is_named_with_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, package in (("art", "adversarial-robustness-toolbox"), ("torchattacks", "torchattacks")):
        monkeypatch.setitem(sys.modules, name, None)
        file = tmp_path / f"wants_{name}.py"
        file.write_text(f"import {name}.attacks\n")
        with pytest.raises(
            InvalidSetting, match=f"needs the package {name}, which is not here: pip install {package}$"
        ):
            Foreign(f"{file}:attack")


def test_says_if_nothing_lies_in_the_region(scene: Scenes, proposals: Proposals) -> None:
    for batch in (1, 3):
        with pytest.warns(UserWarning, match=r":far: none of its changed inputs lies in the region$"):
            found = proposals(brought("far", batch=batch), scene(range(3)), Linf(0.1))
        assert torch.equal(joined(found), 1 - scene(range(3))[1].batch.inputs), "they are proposed as they are"
    proposals(brought("far"), scene([0]), Linf(0.1))  # one seed may be bad luck


def test_a_name_survives_json_and_a_changed_file_does_not(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def attack(inputs, labels):\n    return inputs\n")
    hunter = build("hunter", f"foreign:{file}:attack,batch=3")
    assert hunter == Foreign(f"{file}:attack", batch=3)
    stored = json.loads(json.dumps(describe(hunter)))
    assert stored["name"] == "foreign"
    assert build("hunter", stored) == hunter
    file.write_text("def attack(inputs, labels):\n    return inputs + 1\n")
    with pytest.raises(InvalidSetting, match=rf"mine.py:attack is no longer what it was: its hash was {hunter.source}"):
        build("hunter", stored)
    assert Foreign(f"{file}:attack").source != hunter.source


def test_objects_with_a_name_survive_json(monkeypatch: pytest.MonkeyPatch) -> None:
    sys.modules.pop("brought", None)
    monkeypatch.syspath_prepend(str(HERE.parent))
    import brought  # type: ignore[import-not-found]

    for thing in (brought.drift, brought.Steps, brought.made_of(0.1), partial(brought.Steps, eps=0.2)):
        hunter = Foreign.of(thing)
        stored = json.loads(json.dumps(describe(hunter)))
        if thing in (brought.drift, brought.Steps):
            assert build("hunter", stored) == hunter, "who has a name is found by it"
        else:
            with pytest.raises(InvalidSetting, match=r"exists only in the process that was given it; write it into a"):
                build("hunter", stored)
    assert Foreign.of(brought.made_of(0.1)).source == Foreign.of(brought.made_of(0.1)).source
    assert Foreign.of(brought.made_of(0.1)).source != Foreign.of(brought.made_of(0.2)).source
    assert Foreign.of(partial(brought.Steps, eps=0.1)).source != Foreign.of(partial(brought.Steps, eps=0.2)).source
    sys.modules.pop("brought")


def test_an_object_travels_with_its_hunter(scene: Scenes, proposals: Proposals) -> None:
    def brighter(inputs: Tensor, labels: Tensor) -> Tensor:
        return (inputs + 0.05).clamp(0, 1)

    hunter = Foreign.of(brighter)
    other = replace(hunter, batch=4)
    assert (other.program, other.batch) == (brighter, 4)
    assert hunter == Foreign.of(brighter)
    assert set(describe(hunter)) == {"name", "attack", "batch", "radius", "source"}
    assert "program" not in settings(Foreign)
    again = cloudpickle.loads(cloudpickle.dumps(hunter))  # type: ignore[no-untyped-call]
    assert again == hunter
    found = [joined(proposals(one, scene(range(3)), Linf(0.1))) for one in (hunter, other, again)]
    assert torch.equal(found[0], found[1])
    assert torch.equal(found[0], found[2])


def test_hunters_and_texts_need_no_adoption() -> None:
    for method in ("pgd:steps=3", {"name": "pgd"}, PGD()):
        assert adopted(method) is method
    assert isinstance(adopted(lambda inputs, labels: inputs), Foreign)


def test_a_hunt_with_a_function(tiny_net: nn.Module, small_data: Examples, tmp_path: Path) -> None:
    def fast(step: float) -> Callable[[nn.Module, Tensor, Tensor], Tensor]:
        def stepped(model: nn.Module, inputs: Tensor, labels: Tensor) -> Tensor:
            x = inputs.clone().requires_grad_(True)
            loss = nn.functional.cross_entropy(model(x), labels)
            return (inputs + step * torch.autograd.grad(loss, x)[0].sign()).clamp(0, 1)

        return stepped

    settings: dict[str, Any] = {"region": "linf:0.1", "inputs": 10}
    theirs = unnerve.hunt(tiny_net, small_data, fast(0.1), str(tmp_path / "theirs"), **settings)
    ours = unnerve.hunt(tiny_net, small_data, "fgsm", str(tmp_path / "ours"), **settings)
    assert theirs.findings["id"].to_pylist() == ours.findings["id"].to_pylist() != []
    assert theirs.summary()["queries"] == ours.summary()["queries"]
    again = unnerve.hunt(tiny_net, small_data, fast(0.1), str(tmp_path / "theirs"), resume=True, **settings)
    assert again.summary()["errors"] == theirs.summary()["errors"]
    with pytest.raises(UserError, match=r"was begun otherwise \(methods.1.source: \"\w+\", now \"\w+\"\); choose"):
        unnerve.hunt(tiny_net, small_data, fast(0.05), str(tmp_path / "theirs"), resume=True, **settings)


def test_an_arena_with_a_function_starts_it_again(tiny_net: nn.Module, small_data: Examples, tmp_path: Path) -> None:
    methods = [f"foreign:{HERE}:drift", f"foreign:{HERE}:signs", "fgsm"]
    found = unnerve.arena(tiny_net, small_data, methods, str(tmp_path / "a"), queries=20, region="linf:0.1", inputs=5)
    drift, signs, fgsm = found.rows()
    assert drift["queries"] == 5 * 19, "noise is tried again and again, while two queries are left"
    assert signs["queries"] == fgsm["queries"] == 5 * 3
    assert signs["errors"] == fgsm["errors"]


def test_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(HERE.read_text())
    words = ["hunt", "zoo:lenet1", "mnist5k", "--limit", "40", "--inputs", "4", "--region", "linf:0.3", "--json"]
    assert main([*words, "--method", "foreign:mine.py:Steps,batch=4", "--out", "a"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["method"], figures["inputs"], figures["queries"]) == ("foreign", 4, 4 * 7)
    Path("mine.py").write_text(HERE.read_text() + "\n\nLATER = 1\n")
    assert main([*words, "--method", "foreign:mine.py:Steps,batch=4", "--out", "a", "--resume"]) == 2
    assert "a was begun otherwise (methods.1.source" in capsys.readouterr().err
    assert main([*words, "--method", "foreign:mine.py:silent", "--out", "b"]) == 2
    said = capsys.readouterr().err
    assert said == "unnerve: mine.py:silent must return changed inputs of shape (1, 1, 28, 28), got NoneType\n"
    assert not Path("b/campaign.json").exists()


def test_a_seed_on_which_the_attack_fails_is_lost_alone(
    tiny_model: TorchModule, small_data: Examples, tmp_path: Path
) -> None:
    def afraid_of_light(inputs: Tensor, labels: Tensor) -> Tensor:
        if bool((inputs.flatten(1)[:, 0] > 0.7).any()):
            raise ArithmeticError("too light")
        return (inputs + 0.05).clamp(0, 1)

    hunter = Foreign.of(afraid_of_light, batch=4)
    found = unnerve.hunt(tiny_model, small_data, hunter, str(tmp_path / "a"), region="linf:0.1", inputs=12)
    (one,) = found.tallies.values()
    failed = {int(seed.id): seed.failed for seed in one.seeds if seed.failed is not None}
    light = small_data.batch(range(40)).inputs.flatten(1)[:, 0] > 0.7
    assert set(failed) == {int(seed.id) for seed in one.seeds if light[int(seed.id)]} != set()
    assert set(failed.values()) == {"ArithmeticError: too light"}
    assert len(failed) < len(one.seeds)


def test_settings() -> None:
    hunter = brought("nudge")
    assert (hunter.needs, hunter.width, hunter.step_cost(10)) == (Capability.ANSWERS, 1, 2)
    for wrong, words in (
        ({"batch": 0}, "batch must be >= 1, got 0"),
        ({"radius": 0.0}, "radius must be > 0, got 0.0"),
        ({"source": "123"}, "is no longer what it was: its hash was 123, and is"),
    ):
        with pytest.raises(InvalidSetting, match=words):
            brought("nudge", **wrong)
    with pytest.raises(InvalidSetting, match=r"^foreign needs attack: foreign:attack=\.\.\.$"):
        build("hunter", "foreign")
