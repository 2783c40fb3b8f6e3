from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.specification import Specification, several, specification, specifications


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("pd", "pd", ()),
        ("  pd ", "pd", ()),
        ("Fashion-MNIST", "fashion_mnist", ()),
        ("pgd:steps=40,step=0.01", "pgd", (("steps", "40"), ("step", "0.01"))),
        ("pgd(steps=40)", "pgd", (("steps", "40"),)),
        ("linf:8/255", "linf", (("", "8/255"),)),
        ("linf:0.1,low=-1", "linf", (("", "0.1"), ("low", "-1"))),
        ("linf:", "linf", ()),
        ("linf()", "linf", ()),
        (" pgd : steps = 40 ", "pgd", None),
        ("pgd: steps = 40 , step = 1", "pgd", (("steps", "40"), ("step", "1"))),
        (
            "guided:search=pso(particles=50,inertia=0.2),objective=margin",
            "guided",
            (("search", "pso(particles=50,inertia=0.2)"), ("objective", "margin")),
        ),
        ("a:b=c(d=e(f=1,g=2),h=3),i=4", "a", (("b", "c(d=e(f=1,g=2),h=3)"), ("i", "4"))),
        ("npz:/data/a=b.npz", "npz", (("", "/data/a=b.npz"),)),
    ],
)
def test_reads(text: str, name: str, settings: tuple[tuple[str, str], ...] | None) -> None:
    if settings is None:
        with pytest.raises(InvalidSetting):
            specification(text)
    else:
        assert specification(text) == Specification(name, settings)


def test_nested_settings_are_specifications_again() -> None:
    inner = dict(specification("guided:search=pso(particles=50)").settings)["search"]
    assert specification(inner) == Specification("pso", (("particles", "50"),))


@pytest.mark.parametrize("text", ["", "  ", "1pd", ":pd", "pd pv", "=", "pd;x"])
def test_refuses_what_is_no_name(text: str) -> None:
    with pytest.raises(InvalidSetting, match="must be NAME or NAME:key=value,key=value, got '"):
        specification(text)


@pytest.mark.parametrize("text", ["pgd(steps=40", "pgd:search=pso)", "a)b(", "((", "guided:search=pso(particles=(1)"])
@pytest.mark.parametrize("read", [specification, specifications])
def test_refuses_single_parentheses(text: str, read: Callable[[str], object]) -> None:
    with pytest.raises(InvalidSetting, match="parentheses must come in pairs, got"):
        read(text)


def test_refuses_what_is_nested_deeper_than_anybody_means() -> None:
    assert specification("a(" * 20 + ")" * 20).name == "a"
    with pytest.raises(InvalidSetting, match="methods must be nested <= 20 deep, got 5000 in"):
        specification("a(" * 5000 + ")" * 5000)


def test_refuses_a_bare_value_in_the_middle() -> None:
    with pytest.raises(InvalidSetting, match="settings must be key=value, got '40' in 'pgd:step=1,40'"):
        specification("pgd:step=1,40")


@pytest.mark.parametrize(
    ("text", "name", "settings"),
    [
        ("mine.py:Ball", "mine.py:Ball", ()),
        ("mine.py:Ball:2", "mine.py:Ball", (("", "2"),)),
        ("mine.py:Ball(2,low=-1)", "mine.py:Ball", (("", "2"), ("low", "-1"))),
        ("/some where/My-Own.py:Ball:radius=2", "/some where/My-Own.py:Ball", (("radius", "2"),)),
        ("package.module:Ball:radius=2", "package.module:Ball", (("radius", "2"),)),
        ("foreign:mine.py:attack,batch=3", "foreign", (("", "mine.py:attack"), ("batch", "3"))),
        ("foreign:package.module:attack", "foreign", (("", "package.module:attack"),)),
        ("guided:search=mine.py:Swarm(size=3)", "guided", (("search", "mine.py:Swarm(size=3)"),)),
        ("linf:0.1", "linf", (("", "0.1"),)),
    ],
)
def test_names_in_python(text: str, name: str, settings: tuple[tuple[str, str], ...]) -> None:
    assert specification(text) == Specification(name, settings)


@pytest.mark.parametrize(
    ("text", "methods"),
    [
        ("pgd", ["pgd"]),
        ("pgd,random", ["pgd", "random"]),
        (" pgd , random ,", ["pgd", "random"]),
        ("pgd:steps=10,step=0.01,random", ["pgd:steps=10,step=0.01", "random"]),
        ("pgd:40,random:5", ["pgd:40", "random:5"]),
        ("pgd:steps=10,pgd:steps=40", ["pgd:steps=10", "pgd:steps=40"]),
        (
            "guided:search=pso(particles=5,iterations=4),objective=margin,random",
            ["guided:search=pso(particles=5,iterations=4),objective=margin", "random"],
        ),
        (
            "guided:encoding=patch(size=3),search=genetic(population=6),pgd",
            ["guided:encoding=patch(size=3),search=genetic(population=6)", "pgd"],
        ),
        ("a:b=c(d=e(f=1,g=2),h=3),i=4,j", ["a:b=c(d=e(f=1,g=2),h=3),i=4", "j"]),
        ("pgd:step=8/255,fgsm", ["pgd:step=8/255", "fgsm"]),
    ],
)
def test_lists_of_methods_by_hand(text: str, methods: list[str]) -> None:
    assert specifications(text) == methods


@pytest.mark.parametrize("text", ["", ",", " , "])
def test_a_list_names_something(text: str) -> None:
    with pytest.raises(InvalidSetting, match=r"^methods must name at least one; unnerve methods lists them$"):
        specifications(text)


def test_doubles_are_refused() -> None:
    with pytest.raises(InvalidSetting, match=r"^'pgd:steps=3' is named twice$"):
        specifications("pgd:steps=3,random,pgd:steps=3")


NAMES = st.text("abcdefgh_", min_size=1, max_size=5)
VALUES = st.one_of(NAMES, st.integers(0, 99).map(str), st.just("8/255"))
NESTED = st.builds(lambda name, key, value: f"{name}({key}={value},x=1)", NAMES, NAMES, VALUES)
SETTINGS = st.lists(st.tuples(NAMES, st.one_of(VALUES, NESTED)), max_size=3)
METHODS = st.builds(
    lambda name, settings: name + ":" * bool(settings) + ",".join(f"{key}={value}" for key, value in settings),
    NAMES,
    SETTINGS,
)


@given(methods=st.lists(METHODS, min_size=1, max_size=4, unique=True))
def test_lists_come_apart_as_they_were_joined(methods: list[str]) -> None:
    assert specifications(",".join(methods)) == methods


def test_methods_however_they_are_given() -> None:
    assert several("pgd:steps=10,step=0.01,random") == ["pgd:steps=10,step=0.01", "random"]
    assert several(["pgd", "random"]) == several(("pgd", "random")) == ["pgd", "random"]
    assert several(one := Specification("pgd")) == [one]
    nothings: list[Any] = ["", ",", [], ()]
    for nothing in nothings:
        with pytest.raises(InvalidSetting, match="methods must name at least one"):
            several(nothing)
