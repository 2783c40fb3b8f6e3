import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.naming.callables import named
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.attacks.fgsm import FGSM
from unnerve.generate.attacks.foreign.foreign import Foreign
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf

Scene = tuple[Subject[Metered], Seeds, Streams]
Scenes = Callable[..., Scene]
Proposals = Callable[..., list[Candidates]]
HERE = Path(__file__).with_name("brought.py")


def brought(name: str, **settings: Any) -> Foreign:
    return Foreign(f"{HERE}:{name}", **settings)


def joined(found: list[Candidates]) -> Tensor:
    assert torch.cat([one.seed_index for one in found]).tolist() == list(range(sum(len(one) for one in found)))
    return torch.cat([one.inputs for one in found])


def test_foolbox_and_art_run_on_our_model_and_are_counted(duel: Any) -> None:
    ours = duel.proposals(PGD(steps=8, step=0.02, random_start=False), duel.scene(), Linf(0.1))[-1].inputs
    by_themselves: dict[str, Callable[[Any], Tensor]] = {
        "foolbox_pgd": lambda make: duel.by_foolbox(make(), 0.1),
        "art_pgd": lambda make: duel.by_art(make(duel.classifier())),
    }
    for name, plain in by_themselves.items():
        passes: list[int] = []
        handle = duel.net[0].register_forward_hook(lambda _, given, __, seen=passes: seen.append(len(given[0])))
        alone = plain(named(f"{HERE}:{name}", InvalidSetting))
        handle.remove()
        made = duel.scene()
        theirs = joined(duel.proposals(brought(name, batch=64), made, Linf(0.1)))
        assert torch.allclose(theirs, ours, rtol=0, atol=1e-6), name
        assert torch.allclose(theirs, alone, rtol=0, atol=1e-6), name
        assert sum(passes) >= 8 * 64
        assert set(made[0].model.meter.spent.tolist()) == {1 + sum(passes) // 64 + 8}, name


def test_batches_of_any_size_give_the_same_where_nothing_is_drawn(duel: Any) -> None:
    whole = joined(duel.proposals(brought("foolbox_pgd", batch=64), duel.scene(), Linf(0.1)))
    made = duel.scene()
    parts = joined(duel.proposals(brought("foolbox_pgd", batch=13), made, Linf(0.1)))
    assert torch.equal(whole, parts)
    assert set(made[0].model.meter.spent.tolist()) == {1 + 8 * 2 + 1}


def test_an_attack_of_foolbox_is_an_object(duel: Any) -> None:
    attack = duel.foolbox.L2DeepFoolAttack(steps=10)
    found = joined(duel.proposals(Foreign.of(attack, batch=64), duel.scene(), L2(0.7)))
    assert torch.allclose(found, duel.by_foolbox(attack, 0.7), atol=1e-5)
    with pytest.raises(InvalidSetting, match=r"measures in L2, but the region is a ball of Linf: say how far"):
        duel.proposals(Foreign.of(attack), duel.scene(), Linf(0.1))
    duel.proposals(Foreign.of(attack, batch=64, radius=0.5), duel.scene(), Linf(0.1))


def test_a_class_of_art_is_made_for_the_model(duel: Any) -> None:
    made = partial(duel.art.FastGradientMethod, eps=0.1)
    found = joined(duel.proposals(Foreign.of(made, batch=64), duel.scene(), Linf(0.1)))
    assert torch.allclose(found, duel.proposals(FGSM(), duel.scene(), Linf(0.1))[-1].inputs, atol=1e-6)


def test_the_interface_of_torchattacks(duel: Any, capsys: pytest.CaptureFixture[str]) -> None:
    made = duel.scene()
    found = joined(duel.proposals(brought("Steps", batch=64), made, Linf(0.1)))
    plain = duel.proposals(PGD(steps=3, step=0.1 / 3, random_start=False), duel.scene(), Linf(0.1))[-1].inputs
    assert torch.allclose(found, plain, atol=1e-6)
    assert set(made[0].model.meter.spent.tolist()) == {1 + 3 * 2}
    said = capsys.readouterr()
    assert said.out == "", "standard output belongs to who asked for JSON"
    assert "Attack mode" in said.err


def test_torchattacks_itself(duel: Any) -> None:
    # Its package asks for torchvision, so it is not among our development tools.
    torchattacks = pytest.importorskip("torchattacks", reason="torchattacks is not here")
    made = duel.scene()
    attack = partial(torchattacks.PGD, eps=0.1, alpha=0.02, steps=8, random_start=False)
    found = joined(duel.proposals(Foreign.of(attack, batch=64), made, Linf(0.1)))
    plain = duel.proposals(PGD(steps=8, step=0.02, random_start=False), duel.scene(), Linf(0.1))[-1].inputs
    assert torch.allclose(found, plain, atol=1e-6)
    assert set(made[0].model.meter.spent.tolist()) == {1 + 8 * 2}


@pytest.mark.parametrize("name", ["targeted_steps", "art_targeted", "foolbox_pgd"])
def test_targets_reach_the_attack(duel: Any, name: str) -> None:
    target = (duel.labels + 3) % 10
    found = joined(duel.proposals(brought(name, batch=64), duel.scene(target), Linf(0.3)))
    anyhow = joined(duel.proposals(brought("signs", batch=64), duel.scene(), Linf(0.3)))
    assert int(duel.flipped(found, target).sum()) > 20 > int(duel.flipped(anyhow, target).sum())


def test_a_targeted_attack_of_art_needs_a_target(duel: Any) -> None:
    with pytest.raises(InvalidSetting, match=r":art_targeted is targeted: say which class it shall reach"):
        duel.proposals(brought("art_targeted", batch=64), duel.scene(), Linf(0.3))


def test_an_attack_with_a_model_of_its_own_is_refused(duel: Any) -> None:
    bound = duel.art.FastGradientMethod(duel.classifier(), eps=0.1)
    words = r"has a model of its own already, whose passes nobody would count; give its class"
    for attack in (bound, lambda: bound):
        with pytest.raises(InvalidSetting, match=words):
            duel.proposals(Foreign.of(attack), duel.scene(), Linf(0.1))
    duel.proposals(
        Foreign.of(lambda estimator: duel.art.FastGradientMethod(estimator, eps=0.1)), duel.scene(), Linf(0.1)
    )


def test_a_missing_library_is_named_too(scene: Scenes, proposals: Proposals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "art.estimators.classification", None)
    with pytest.raises(InvalidSetting, match=r"needs the package adversarial-robustness-toolbox: pip install"):
        proposals(brought("art_pgd"), scene([0]), Linf(0.1))
