"""Progress bars."""

import pytest

from unnerve.core.progress import show_answer, show_life, steps_shown, watched_by


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


def test_the_first_answer_ends_a_deadline_for_it_and_no_other() -> None:
    told: list[float] = []
    with watched_by(lambda until, why: told.append(until), until_answered=True):
        show_answer()
        show_life(7.0, "a step")
        show_answer()
    with watched_by(lambda until, why: told.append(until)):
        show_answer()
    assert told == [0.0, 7.0]
