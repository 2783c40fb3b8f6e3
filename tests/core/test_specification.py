import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.specification import Specification, specification


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


@pytest.mark.parametrize("text", ["", "  ", "1pd", ":pd", "pd pv", "=", "pd;x", "pgd(steps=40"])
def test_refuses_what_is_no_name(text: str) -> None:
    with pytest.raises(InvalidSetting, match="must be NAME or NAME:key=value,key=value, got '"):
        specification(text)


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
