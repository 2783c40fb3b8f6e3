"""Progress bars."""

from types import SimpleNamespace

import pytest

from unnerve.core.progress import expect_work, show_life, show_work, steps_shown, watched_by


@pytest.mark.parametrize("progress", [None, False])
def test_nothing_is_shown_unless_it_is_asked_for(progress: bool | None, capsys: pytest.CaptureFixture[str]) -> None:
    with steps_shown(progress, "ranking", "inputs") as on_steps:
        on_steps(3, 10)
    assert capsys.readouterr() == ("", "")


def test_a_function_is_called_instead(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    with steps_shown(lambda done, total: told.append((done, total)), "ranking", "inputs") as on_steps:
        on_steps(3, 10)
        on_steps(10, 10)
    assert told == [(3, 10), (10, 10)]
    assert capsys.readouterr() == ("", "")


def test_a_bar_is_drawn_on_standard_error(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # to rich, any file is then a terminal
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with steps_shown(True, "ranking", "inputs") as on_steps:
        on_steps(0, 0)
        on_steps(3, 10)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "ranking" in shown.err
    assert "inputs" in shown.err
    assert "3/10" in shown.err


def test_what_fails_meanwhile_is_not_swallowed() -> None:
    with pytest.raises(ZeroDivisionError), steps_shown(True, "ranking", "inputs"):
        _ = 1 / 0


def test_work_moves_a_deadline_that_is_expected_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[float, str]] = []
    clock = SimpleNamespace(monotonic=lambda: 100.0 + len(told))
    monkeypatch.setattr("unnerve.core.progress.time", clock)

    def watcher(until: float, why: str) -> None:
        told.append((until, why))

    with watched_by(watcher):
        show_work()
        show_life(5.0, "to open it")
        expect_work(30.0, "mute")
        show_work()
        show_work()
        show_life(7.0, "a step")
        show_work()
        expect_work(30.0, "mute")
    with watched_by(watcher):
        show_work()
    assert told == [(5.0, "to open it"), (131.0, "mute"), (132.0, "mute"), (7.0, "a step")]
