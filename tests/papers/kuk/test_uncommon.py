"""Table 5: from finished trials by hand, and from a small run."""

from dataclasses import replace
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.papers.kuk import kuk, runs, uncommon_runs
from unnerve.papers.kuk.uncommon_claims import uncommon_claims
from unnerve.papers.kuk.uncommon_tables import uncommon_figure, uncommon_table
from unnerve.papers.kuk.uncommon_trial import METHODS, PATTERNS, Found, UncommonResult, UncommonTrial
from unnerve.subjects.data import examples


def finished(plan: UncommonTrial, data: Path, folder: Path) -> UncommonResult:
    """Return a result in which KuK reaches five seeds, one of them by an error, and gradients all of them."""
    patterns = tuple(
        Found(pattern, method, (True,) + (False,) * (count - 1), (0.1,) * count, (0.3,) * count, 50_000 // count)
        for pattern in PATTERNS
        for method, count in zip(METHODS, (5, 50), strict=True)
    )
    return UncommonResult(plan, 0.99, 0.4, 50, patterns)


def trials(inputs: int = 50) -> list[UncommonTrial]:
    return [kuk._uncommon(one, inputs) for one in kuk._trials(Path(), full=False, seed=0)[:4]]


def test_the_table_by_hand() -> None:
    row = uncommon_table([finished(trials()[0], Path(), Path())]).rows[3]
    assert row[:3] == ("LeNet-5, HL", "0 + 1 of 200: 0.5%", "50")
    assert row[3].startswith("4 + 1: 10% [")
    assert row[4:6] == ("0.100 / 0.300", "200")
    assert row[6].startswith("49 + 1: 100% [")
    assert row[8] == "20"


def test_the_figure_has_a_mark_for_each_pattern_and_answer() -> None:
    series = uncommon_figure(finished(trials()[0], Path(), Path())).series
    assert [one.name for one in series[:3]] == ["LL, benign", "LL, adversarial", "HH, benign"]
    assert (series[0].x, series[1].y) == ((0.1,) * 4, (0.3,))


def test_claims_by_hand() -> None:
    every = [finished(one, Path(), Path()) for one in trials()]
    # Ten per cent is the limit itself, so that no case is decided; gradients reach all with a tenth of the queries.
    assert [claim.verdict for claim in uncommon_claims(every)] == ["cannot be decided", "held"]
    assert uncommon_claims(every[:1])[1].verdict == "cannot be decided", "twelve cases of sixteen were not run"
    rare = [replace(one, seeds=5000) for one in every[:3]]
    assert uncommon_claims(rare)[0].verdict == "not held", "five of 5,000 are fewer than a tenth"
    assert uncommon_claims([]) == ()


def test_the_table_is_made_if_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mnist").mkdir()
    (tmp_path / "cifar10").mkdir()
    monkeypatch.setattr(uncommon_runs, "_run", finished)
    monkeypatch.setattr(runs, "_run", lambda *_: pytest.fail("Tables 3 and 4 were not asked for"))
    outline = kuk.kuk(tmp_path, tmp_path / "out", inputs=7)
    result = outline.finished(table="5", only="lenet5")
    assert [table.numbers for table in result.tables] == [(5,)]
    (cell,) = result.cells
    assert isinstance(cell, UncommonResult)
    assert cell.plan.trial.inputs == 7
    monkeypatch.setattr(uncommon_runs, "_run", lambda *_: pytest.fail("what is stored is read"))
    assert kuk.kuk(tmp_path, tmp_path / "out", inputs=7).finished(table="5", only="lenet5").cells == result.cells
    with pytest.raises(InvalidSetting, match=r"^only must be one of lenet5, nin, uncommon, got vgg$"):
        outline.finished(table="5", only="vgg")


@pytest.mark.soak
def test_a_small_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncommon_runs, "trial_examples", lambda *_: examples("mnist5k").first(700))
    monkeypatch.setattr(uncommon_runs, "METHODS", ("uncommon_ascent:steps=15,starts=1,masks=4",))
    plan = trials(2)[0]
    result = uncommon_runs._run(replace(plan, trial=replace(plan.trial, draws=5)), tmp_path, tmp_path / "out")
    assert result.seeds == 2
    assert len(result.patterns) == 4
    assert sum(one.total for one in result.patterns) >= 2
    assert set(result.spreads()) == {f"{one}, uncommon_ascent:steps=15,starts=1,masks=4" for one in PATTERNS}
