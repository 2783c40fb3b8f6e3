"""Table 5: from finished trials by hand, and from a small run."""

from dataclasses import replace
from pathlib import Path

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.papers.kuk import kuk, runs, uncommon_runs
from unnerve.papers.kuk.uncommon_claims import uncommon_claims
from unnerve.papers.kuk.uncommon_tables import uncommon_figure, uncommon_table
from unnerve.papers.kuk.uncommon_trial import (
    METHODS,
    PATTERNS,
    Found,
    PatternResult,
    PatternTrial,
    UncommonResult,
    UncommonTrial,
    joined,
)
from unnerve.subjects.data import examples


def finished(plan: PatternTrial, data: Path = Path(), folder: Path = Path()) -> PatternResult:
    """Return a result in which KuK reaches five seeds, one of them by an error, and gradients all of them."""
    found = tuple(
        Found(plan.pattern, method, (True,) + (False,) * (count - 1), (0.1,) * count, (0.3,) * count, 50_000 // count)
        for method, count in zip(METHODS, (5, 50), strict=True)
    )
    return PatternResult(plan, 0.99, 0.4, 50, found)


def whole(plan: UncommonTrial) -> UncommonResult:
    (result,) = joined([finished(PatternTrial(plan, pattern)) for pattern in PATTERNS])
    return result


def trials(inputs: int = 50) -> list[UncommonTrial]:
    return [kuk._uncommon(one, inputs) for one in kuk._trials(Path(), full=False, seed=0)[:4]]


def test_the_table_by_hand() -> None:
    row = uncommon_table([whole(trials()[0])]).rows[3]
    assert row[:3] == ("LeNet-5, HL", "0 + 1 of 200: 0.5%", "50")
    assert row[3].startswith("4 + 1: 10% [")
    assert row[4:6] == ("0.100 / 0.300", "200")
    assert row[6].startswith("49 + 1: 100% [")
    assert row[8] == "20"


def test_the_figure_has_a_mark_for_each_pattern_and_answer() -> None:
    series = uncommon_figure(whole(trials()[0])).series
    assert [one.name for one in series[:3]] == ["LL, benign", "LL, adversarial", "HH, benign"]
    assert (series[0].x, series[1].y) == ((0.1,) * 4, (0.3,))


def test_claims_by_hand() -> None:
    every = [whole(one) for one in trials()]
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
    assert [(table.numbers, len(table.rows)) for table in result.tables] == [((5,), 4)]
    cells = [cell for cell in result.cells if isinstance(cell, PatternResult)]
    assert [cell.plan.pattern for cell in cells] == list(PATTERNS)
    assert {cell.plan.hunted.trial.inputs for cell in cells} == {7}
    monkeypatch.setattr(uncommon_runs, "_run", lambda *_: pytest.fail("what is stored is read"))
    assert kuk.kuk(tmp_path, tmp_path / "out", inputs=7).finished(table="5", only="lenet5").cells == result.cells
    with pytest.raises(InvalidSetting, match=r"^only must be one of hh, hl, lenet5, lh, ll, nin, uncommon, got vgg$"):
        outline.finished(table="5", only="vgg")


def test_patterns_that_were_not_run_are_open() -> None:
    """One pattern of a network may be there while the others still run."""
    plan = trials()[0]
    (result,) = joined([finished(PatternTrial(plan, "HH"))])
    assert (result.run, result.title) == (["HH"], "LeNet-5")
    assert [row[0] for row in uncommon_table([result]).rows] == ["LeNet-5, HH"]
    assert len(uncommon_figure(result).series) == 2
    assert [claim.verdict for claim in uncommon_claims([result])] == ["cannot be decided"] * 2


@pytest.mark.soak
def test_a_small_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uncommon_runs, "trial_examples", lambda *_: examples("mnist5k").first(700))
    monkeypatch.setattr(uncommon_runs, "METHODS", ("uncommon_ascent:steps=15,starts=1,masks=4",))
    plan = trials(2)[0]
    short = replace(plan, trial=replace(plan.trial, draws=5))
    results = [uncommon_runs._run(PatternTrial(short, one), tmp_path, tmp_path / "out") for one in PATTERNS]
    (result,) = joined(results)
    assert result.seeds == 2
    assert result.run == list(PATTERNS)
    assert sum(one.total for one in result.patterns) >= 2
    assert set(results[0].spreads()) == {"LL, uncommon_ascent:steps=15,starts=1,masks=4"}
