import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from torch import Tensor

from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.naming import catalogue
from unnerve.core.naming.catalogue import FORMER_NAMES, KINDS, bound, build, describe, find, names, settings
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.guided.deepsensor import DeepSensor
from unnerve.generate.guided.guided import Guided
from unnerve.generate.noises.random import Random as HunterRandom
from unnerve.generate.objectives.margin import Margin
from unnerve.generate.oracles.becomes import Becomes
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.perturbations.patch import Patch
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf
from unnerve.generate.searches.differential_evolution import DifferentialEvolution
from unnerve.generate.searches.genetic import Genetic
from unnerve.generate.searches.pso import PSO
from unnerve.generate.searches.random import Random as SearchRandom
from unnerve.measure.curves.exponential_fit import exponential_fit
from unnerve.measure.curves.f_measure import f_measure
from unnerve.measure.reactions.path import Path as PathEstimator
from unnerve.measure.scores.pd import pd
from unnerve.papers.nsatp.nsatp import nsatp
from unnerve.subjects.zoo.net1 import net1
from unnerve.testing.texts import small_texts

METHODS = [(kind, name) for kind in KINDS for name in names(kind)]
BROUGHT = Path(__file__).parents[2] / "generate/attacks/foreign/brought.py"
VALUES: dict[str, list[dict[str, Any]]] = {
    "jsma": [{}, {"outputs": "probabilities", "change": -0.5, "distortion": 0.1}],
    "patch": [{}, {"size": 3, "colour": "invert"}],
    "l0": [{"share": 0.05}],
    "l2": [{"radius": 1.5}, {"radius": 1.5, "low": -1.0, "high": 2.0}],
    "linf": [{"radius": 8 / 255}],
    "spread": [{"radius": 0.25}],
    "lineage": [{"transform": Affine()}, {"transform": Patch(3), "few": 0.1}],
    "affine": [{}, {"rotation": 10.0, "scale": 1.0}],
    "becomes": [{"target": 3}],
    "changed": [{}],
    "misclassified": [{}],
    "differential_evolution": [{}, {"population": 20, "iterations": 3, "scale": 0.7, "crossover": 0.9}],
    "genetic": [{}, {"population": 20, "mutation": 0.0, "tournament": 2}],
    "pso": [{}, {"particles": 5, "start": "fixed", "inertia_start": 0.9, "inertia_end": 0.4}],
    "random": [{}, {"iterations": 3}],
    "margin": [{}],
    "excitable_neurons": [{}, {"threshold": 0.1, "estimator": PathEstimator(3)}],
    "sensitive_neurons": [{}, {"threshold": 0.1, "scale": "eq1", "signed": True}],
    "exact": [{}],
    "leave_one_out": [{}],
    "owen": [{}, {"coalitions": 8, "overlap": 0.1}],
    "path": [{}, {"points": 2}],
    "permutation": [{}, {"permutations": 3, "antithetic": False, "tolerance": 0.1}],
    "sensitivity": [{}, {"scale": "minmax"}],
    "taylor": [{}],
    "apgd": [{}, {"loss": "dlr", "steps": 5, "targets": 3}],
    "square": [{}, {"iterations": 5, "share": 0.3}],
    "bim": [{}, {"steps": 5, "step": 0.02}],
    "carlini_wagner": [{}, {"steps": 50, "searches": 2, "constant": 1.0, "abort_early": False}],
    "deepfool": [{}, {"steps": 5, "overshoot": 0.1, "candidates": 3}],
    "deepsensor": [{}, {"swarm": PSO(9, start="fixed"), "scale": "released", "enough": 0.5}],
    "deepsensor_excitable": [{}, {"swarm": PSO(9), "estimator": PathEstimator(2), "threshold": 0.05}],
    "fgsm": [{}],
    "foreign": [{"attack": f"{BROUGHT}:drift"}, {"attack": f"{BROUGHT}:Steps", "batch": 5, "radius": 0.2}],
    "gaussian": [{}, {"deviation": 0.3, "iterations": 2}],
    "guided": [
        {},
        {"search": Genetic(population=7), "encoding": Patch(3)},
        {"search": DifferentialEvolution(crossover=0.5), "objective": Margin()},
    ],
    "class_tour": [{}, {"steps": 7, "step": 0.1, "patience": 3}],
    "pgd": [{}, {"steps": 7, "step": 0.01, "random_start": False}],
}
DESCRIBED = ("score", "reaction", "perturbation", "region", "oracle", "search", "objective", "hunter")


@pytest.mark.parametrize(("kind", "name"), METHODS)
def test_every_name_leads_to_a_method(kind: str, name: str) -> None:
    method = find(kind, name)
    assert callable(method)
    assert method.__module__.endswith(f".{name}")
    assert method.__name__.lower() in {name, name.replace("_", "")}


def test_knows_the_methods_of_the_papers() -> None:
    assert {"gini", "margin", "max_probability", "pd", "pe", "pv", "random"} <= set(names("score"))
    assert {"l0", "l2", "linf"} <= set(names("region"))
    assert {"differential_evolution", "genetic", "pso", "random"} <= set(names("search"))
    assert "margin" in names("objective")
    assert {
        "apgd",
        "square",
        "bim",
        "carlini_wagner",
        "deepfool",
        "fgsm",
        "foreign",
        "gaussian",
        "guided",
        "jsma",
        "patch",
        "pgd",
        "random",
    } <= set(names("hunter"))
    assert {"lenet1", "lenet4", "lenet5", "net1", "net2", "peacepact_net1"} <= set(names("zoo model"))


def test_names_are_sorted_and_private_files_are_not_methods() -> None:
    for kind in KINDS:
        assert list(names(kind)) == sorted(names(kind))
        assert not any(name.startswith("_") for name in names(kind))


def test_finds_functions_and_classes() -> None:
    assert find("score", "pd") is pd
    assert find("region", "linf") is Linf
    assert find("perturbation", "Patch") is Patch
    assert find("zoo model", "NET1") is net1


def test_finds_a_method_of_several_files_in_the_module_of_its_name() -> None:
    assert find("paper", "nsatp") is nsatp
    assert describe(nsatp) == {"name": "nsatp"}
    assert set(names("paper")) == {"deepsensor", "deepsensor_faults", "deepsensor_speech", "kuk", "nsatp", "peacepact"}


def test_finds_the_function_not_what_it_returns() -> None:
    assert find("curve", "f_measure") is f_measure
    assert find("curve", "exponential-fit") is exponential_fit


def test_hyphens_and_underscores_are_alike() -> None:
    assert find("score", "max-probability") is find("score", "max_probability")


def test_methods_that_were_renamed_are_found_by_their_old_names() -> None:
    for (kind, old), new in FORMER_NAMES.items():
        assert find(kind, old) is find(kind, new)
        assert old not in names(kind)
    assert describe(build("hunter", "tour:steps=3")) == describe(build("hunter", "class_tour:steps=3"))
    assert build("hunter", {"name": "tour", "steps": 3}) == build("hunter", "class-tour:steps=3")


def test_one_name_may_mean_a_method_of_each_kind() -> None:
    assert build("search", "random") == SearchRandom()
    assert build("hunter", "random") == HunterRandom()
    assert find("perturbation", "patch") is not find("hunter", "patch")
    assert find("score", "margin") is not find("objective", "margin")


def test_a_name_is_looked_for_in_its_kind_only() -> None:
    with pytest.raises(UnknownName, match=r"^unknown region 'pd'"):
        find("region", "pd")


@pytest.mark.parametrize(
    ("kind", "wrong", "near"),
    [
        ("score", "ginny", "gini"),
        ("region", "linff", "linf"),
        ("zoo model", "lenet", "lenet"),
        ("score", "maxprob", ""),
    ],
)
def test_unknown_names_suggest_near_ones(kind: str, wrong: str, near: str) -> None:
    with pytest.raises(UnknownName, match=f"unknown {kind} '{wrong}'; (did you mean .*{near}.*|known: .*)"):
        build(kind, wrong)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("region", "linf:0.1", Linf(0.1)),
        ("region", "linf:8/255", Linf(8 / 255)),
        ("region", "linf:radius=8/255,high=2", Linf(8 / 255, high=2)),
        ("region", "l2(1.5)", L2(1.5)),
        ("region", "l2:1.5,low=-1", L2(1.5, low=-1)),
        ("perturbation", "patch", Patch()),
        ("perturbation", "patch:3", Patch(3)),
        ("perturbation", "patch:colour=invert", Patch(colour="invert")),
        ("oracle", "becomes:target=7", Becomes(7)),
        ("score", "PD", pd),
        ("search", "Differential-Evolution:5", DifferentialEvolution(5)),
        ("hunter", "pgd:steps=7,step=1/255,random_start=no", PGD(7, 1 / 255, random_start=False)),
        ("hunter", "pgd:step=none", PGD()),
        ("hunter", "guided", Guided()),
        ("hunter", "guided:search=pso(particles=50),objective=margin", Guided(PSO(particles=50))),
        ("hunter", "guided:genetic(7,mutation=0.1)", Guided(Genetic(7, mutation=0.1))),
        ("hunter", "guided:search=random,encoding=patch(3)", Guided(SearchRandom(), encoding=Patch(3))),
        ("hunter", "guided:encoding=none", Guided()),
    ],
)
def test_builds_from_text(kind: str, text: str, value: object) -> None:
    assert build(kind, text) == value


def test_a_whole_number_becomes_a_float_where_one_is_wanted() -> None:
    built = build("region", "linf:1")
    assert isinstance(built.radius, float)


def test_values_are_returned_as_they_are() -> None:
    region = Linf(0.3)
    assert build("region", region) is region
    assert build("score", pd) is pd


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("region", "linf", "linf needs radius: linf:radius=..."),
        ("region", "linf:big", "linf: radius must be float, got 'big'"),
        ("region", "linf:8/0", "linf: radius must be float, got '8/0'"),
        ("region", "linf:1/2/3", "linf: radius must be float, got '1/2/3'"),
        ("region", "linf:-0.1", "radius must be > 0 and finite, got -0.1"),
        ("region", "linf:0.1,size=3", "linf has no setting 'size'; it has radius, low, high"),
        ("oracle", "changed:5", "changed has no setting '5'; it has none"),
        ("oracle", "becomes:1.5", "becomes: target must be int, got '1.5'"),
        ("perturbation", "patch:colour=red", "colour must be random or invert, got 'red'"),
        ("score", "pd:steps=3", "pd has no settings, got 'pd:steps=3'"),
        ("hunter", "guided:search=pso(particles=0)", "particles must be >= 1, got 0"),
        ("hunter", "guided:search=pso(wings=2)", f"pso has no setting 'wings'; it has {', '.join(settings(PSO))}"),
    ],
)
def test_says_what_is_wrong_with_settings(kind: str, text: str, words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        build(kind, text)
    assert str(error.value) == words


def test_bound_methods_are_called_later() -> None:
    made: Callable[[], Any] = bound("zoo model", "net1:classes=7", channels=3, size=32, classes=10, unknown=1)
    assert made().logits.out_features == 7
    assert made().conv1.in_channels == 3


def test_what_the_user_says_goes_before_what_is_given() -> None:
    assert bound("region", "linf:0.2", radius=0.5, high=0.9, crop=None)() == Linf(0.2, high=0.9)


def test_refuses_what_is_neither_true_nor_false() -> None:
    with pytest.raises(InvalidSetting, match="imagefolder: grey must be bool or none, got 'maybe'"):
        bound("data set", "imagefolder:path=x,grey=maybe")


def test_settings_have_types_and_defaults() -> None:
    known = settings(Patch)
    assert {name: (one.annotation, one.default) for name, one in known.items()} == {
        "size": (int, 2),
        "colour": (str, "random"),
    }


def test_defaults_that_are_methods_are_shown() -> None:
    known = settings(Guided)
    assert (known["search"].default, known["objective"].default, known["encoding"].default) == (PSO(), Margin(), None)


def test_a_nested_name_that_is_unknown_is_named_with_its_kind() -> None:
    with pytest.raises(UnknownName, match=r"^unknown search 'psu'; did you mean pso"):
        build("hunter", "guided:search=psu")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("deepsensor:swarm=pso(particles=5,draws=particle)", DeepSensor(PSO(5, draws="particle"))),
        ("deepsensor:particles=5,draws=particle,signed=yes", DeepSensor(PSO(5, draws="particle"), signed=True)),
        ("deepsensor:swarm=pso(particles=5),iterations=3", DeepSensor(PSO(5, 3))),
        ("deepsensor:5", DeepSensor(PSO(5))),
        ("deepsensor", DeepSensor()),
    ],
)
def test_settings_of_a_setting_may_stand_beside_it(text: str, value: DeepSensor) -> None:
    assert build("hunter", text) == value


def test_descriptions_with_the_settings_of_a_setting_beside_it_are_read() -> None:
    stored = {"name": "deepsensor", "particles": 30, "iterations": 5, "scale": "eq1"}
    assert build("hunter", stored) == DeepSensor(PSO(30, 5), "eq1")
    with pytest.raises(TypeError, match="unexpected keyword argument 'wings'"):
        build("hunter", {"name": "deepsensor", "wings": 2})


def test_a_setting_of_a_fixed_class_is_of_that_class() -> None:
    with pytest.raises(InvalidSetting, match=r"^deepsensor: swarm must be pso, got 'genetic'$"):
        build("hunter", "deepsensor:swarm=genetic")
    with pytest.raises(InvalidSetting, match=r"^deepsensor has no setting 'wings'; it has particles, .*, swarm, scale"):
        build("hunter", "deepsensor:wings=2")


@dataclass(frozen=True)
class Pair:
    """Two swarms."""

    first: PSO = field(default_factory=PSO)
    second: PSO = field(default_factory=PSO)


def test_a_setting_that_two_settings_have_must_be_given_to_one() -> None:
    assert catalogue._owners(Pair) == {}
    assert catalogue._owners(DeepSensor) == dict.fromkeys(settings(PSO), "swarm")


def test_nested_methods_are_described_with_their_kind() -> None:
    description = describe(Guided(SearchRandom(5, 6), encoding=Patch()))
    assert description == {
        "name": "guided",
        "search": {"kind": "search", "name": "random", "population": 5, "iterations": 6},
        "objective": {"kind": "objective", "name": "margin"},
        "encoding": {"kind": "perturbation", "name": "patch", "size": 2, "colour": "random"},
        "enough": None,
    }


@pytest.mark.parametrize("kind", DESCRIBED)
def test_every_value_survives_json(kind: str) -> None:
    for name in names(kind):
        method = find(kind, name)
        values = [method(**given) if isinstance(method, type) else method for given in VALUES.get(name, ())]
        for value in values or [build(kind, text) for text in small_texts(name, method)]:
            assert build(kind, json.loads(json.dumps(describe(value)))) == value


def test_descriptions_are_complete() -> None:
    assert describe(Linf(0.1)) == {"name": "linf", "radius": 0.1, "low": 0.0, "high": 1.0}
    assert describe(pd) == {"name": "pd"}


@dataclass(frozen=True)
class Around:
    """A region of someone else, with a method as its setting."""

    inner: Linf | L2
    times: int = 2


def cheerful(probabilities: Tensor) -> Tensor:
    """Find everything suspect."""
    return probabilities[:, 0] * 0 + 1


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a package that offers a region and a score."""

    def clear() -> None:
        for cached in (catalogue.names, catalogue._offered):
            cached.cache_clear()

    group = "unnerve.methods"
    offered = [
        EntryPoint("region.around", f"{Around.__module__}:Around", group),
        EntryPoint("score.Very-Cheerful", f"{Around.__module__}:cheerful", group),
    ]
    ours = {f"{Around.__module__}:Around": Around, f"{Around.__module__}:cheerful": cheerful}
    monkeypatch.setattr(EntryPoint, "load", lambda entry: ours[entry.value])
    monkeypatch.setattr(catalogue, "entry_points", lambda group: offered if group == "unnerve.methods" else [])
    clear()
    yield
    monkeypatch.undo()
    clear()


@pytest.mark.usefixtures("plugins")
def test_plugins_are_found_by_their_own_names() -> None:
    assert "around" in names("region")
    assert "very_cheerful" in names("score")
    assert "around" not in names("score")
    assert find("score", "very-cheerful") is cheerful
    assert describe(cheerful) == {"name": "very_cheerful"}


@pytest.mark.usefixtures("plugins")
@pytest.mark.parametrize("inner", [Linf(0.1), L2(0.5, high=2.0)])
def test_nested_methods_survive_json(inner: Linf | L2) -> None:
    value = Around(inner, times=5)
    description = describe(value)
    assert description["name"] == "around"
    assert description["inner"]["kind"] == "region"
    assert build("region", json.loads(json.dumps(description))) == value


@pytest.mark.usefixtures("plugins")
def test_our_own_methods_stay_when_there_are_plugins() -> None:
    assert build("region", "linf:0.1") == Linf(0.1)
    assert describe(pd) == {"name": "pd"}
