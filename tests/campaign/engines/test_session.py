import logging
import signal
import sys
import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

from unnerve.campaign.engines._session import imported, session
from unnerve.core.errors import InvalidSetting


class Ray:
    """A make-believe Ray that leaves traces as the real one does."""

    def __init__(self, problem: BaseException | None = None, connected: bool = False) -> None:
        self.problem, self.connected, self.calls = problem, connected, list[Any]()

    def is_initialized(self) -> bool:
        return self.connected

    def init(self, address: str, **given: Any) -> None:
        self.calls.append((address, given))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        logging.getLogger("ray").setLevel(logging.ERROR)
        logging.getLogger("ray").addHandler(logging.NullHandler())
        logging.getLogger("ray").propagate = False
        warnings.warn("this will change", FutureWarning, stacklevel=1)
        if self.problem is not None:
            raise self.problem
        self.connected = True

    def shutdown(self) -> None:
        self.calls.append("shutdown")
        self.connected = False
        warnings.warn("unclosed", ResourceWarning, stacklevel=1)


@pytest.fixture
def insides(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Return what stands for the part of Ray that prints to standard output."""
    package, private, worker = ModuleType("ray"), ModuleType("ray._private"), ModuleType("ray._private.worker")
    worker.print_to_stdstream = print  # type: ignore[attr-defined]
    private.worker = worker  # type: ignore[attr-defined]
    for module in (package, private, worker):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return worker


@pytest.fixture(autouse=True)
def traces_are_wiped_off() -> Iterator[None]:
    """Fail if a session leaves the process other than it was."""

    def state() -> Any:
        logger = logging.getLogger("ray")
        return signal.getsignal(signal.SIGTERM), logger.level, logger.propagate, list(logger.handlers)

    before = state()
    yield
    assert state() == before


@pytest.mark.usefixtures("insides")
def test_a_cluster_of_its_own_is_started_and_ended() -> None:
    ray = Ray()
    with session(ray, None, 3) as started:
        assert started
        assert signal.getsignal(signal.SIGTERM) != signal.SIG_IGN, "ending stays the caller's business"
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    assert ray.calls == [("local", {"num_cpus": 3, "include_dashboard": False, **quiet}), "shutdown"]


@pytest.mark.usefixtures("insides")
def test_a_cluster_of_others_is_joined_and_left() -> None:
    ray = Ray()
    with session(ray, "10.0.0.1:6379", 3) as started:
        assert not started
    assert ray.calls[0] == ("10.0.0.1:6379", {"log_to_driver": False, "logging_level": logging.ERROR})
    assert ray.calls[1:] == ["shutdown"]


def test_a_connection_that_was_there_stays() -> None:
    ray = Ray(connected=True)
    with session(ray, "elsewhere", 2) as started:
        assert not started
    assert ray.calls == []
    assert ray.connected


@pytest.mark.usefixtures("insides")
@pytest.mark.parametrize("problem", [ValueError("x"), KeyboardInterrupt(), GeneratorExit()])
def test_whatever_happens_it_is_ended(problem: BaseException) -> None:
    ray = Ray()
    with pytest.raises(type(problem)), session(ray, None, None):
        raise problem
    assert ray.calls[-1] == "shutdown"


@pytest.mark.usefixtures("insides")
@pytest.mark.parametrize(
    ("address", "problem", "words"),
    [
        ("there:1", ConnectionError("Could not find it\nand a long story"), "reached at 'there:1': Could not find it"),
        ("there:1", RuntimeError(), "reached at 'there:1': RuntimeError"),
        (None, OSError("AF_UNIX path too long"), "started here: AF_UNIX path too long"),
    ],
)
def test_a_cluster_that_is_not_there(address: str | None, problem: Exception, words: str) -> None:
    ray = Ray(problem)
    with pytest.raises(InvalidSetting) as error, session(ray, address, None):
        pass
    assert str(error.value) == f"no Ray cluster could be {words}"
    assert ray.calls[-1] == "shutdown"


def test_standard_output_belongs_to_the_caller(insides: Any, capsys: pytest.CaptureFixture[str]) -> None:
    with session(Ray(), None, None):
        insides.print_to_stdstream({"lines": ["(raylet) a worker died"]}, ignore_prefix=False)
    assert insides.print_to_stdstream is print
    assert capsys.readouterr().out == ""


def test_a_version_without_that_part(insides: Any) -> None:
    del insides.print_to_stdstream
    with session(Ray(), None, None):
        assert not hasattr(insides, "print_to_stdstream")


def test_a_handler_that_nobody_can_set_again(insides: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(signal, "getsignal", lambda _: None)
    with session(Ray(), None, None):
        pass
    monkeypatch.undo()
    signal.signal(signal.SIGTERM, before)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidSetting, match=r"^`engine` ray needs Ray: pip install 'unnerve\[ray\]'$"):
        imported()
