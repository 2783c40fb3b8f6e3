from dataclasses import replace
from pathlib import Path

import pytest

from unnerve.papers.kuk import kuk
from unnerve.papers.kuk.results import GroupFigures, TrialResult
from unnerve.papers.kuk.tools import runs as tool_runs
from unnerve.papers.kuk.tools.claims import tool_claims
from unnerve.papers.kuk.tools.runs import tool_part
from unnerve.papers.kuk.tools.tables import found_table, tool_mean_table
from unnerve.papers.kuk.tools.trial import Cloud, Made, Tool, ToolResult, ToolTrial, tool_trial
from unnerve.papers.kuk.trial import Attacks, Trial
from unnerve.studies.reproduction import Reproduction
from unnerve.subjects.data import examples

ATTACKS = (Attacks("linf:0.3", ("bim:steps=5,searches=6",), ("smallest",)), Attacks("l2:6", ("deepfool",)))
TRIAL = Trial("lenet5", "mnist", draws=20, vro=0.312, campaigns=ATTACKS, inputs=8)


def test_tools_and_attacks_are_run_and_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool_runs, "trial_examples", lambda *_: examples("mnist5k").first(300))
    tools = (
        Tool("DH-KMNC", "deephunter:kmnc(100)", "lineage:metamorphic", 101),
        Tool("TensorFuzz", "tensorfuzz:deviation=0.5", "linf:1", 201),
    )
    part = tool_part(ToolTrial(TRIAL, tools, attacked=4, measured=5), tmp_path, tmp_path)
    assert (part.name, part.tables, part.only_asked) == ("tools-lenet5", (2,), True)
    result = part.run()
    assert set(result.attacks) == {"bim", "deepfool"}
    assert len(result.benign.pcs) == 4
    assert set(result.tools) == set(result.clouds) == {"DH-KMNC", "TensorFuzz"}
    assert result.tools["DH-KMNC"].seeds == 8
    assert 0 < result.tools["DH-KMNC"].queries <= 101
    assert len(result.clouds["DH-KMNC"].pcs) == min(5, result.tools["DH-KMNC"].found)
    assert list(result.equal) == ["DH-KMNC", "TensorFuzz", "BIM", "random noise"]
    assert result.equal["BIM"].broken == 8
    assert part.run() == result, "campaigns are resumed, and masks are values"


def cloud(pcs: float, vro: float, seeds: int = 20) -> Cloud:
    """Return two inputs of each seed, a little off the mean to either side."""
    places = [place for place in range(seeds) for _ in range(2)]
    off = [0.01 if number % 4 in (0, 3) else -0.01 for number in range(2 * seeds)]
    return Cloud(tuple(places), tuple(pcs + one for one in off), tuple(vro + one for one in off))


def result(**changed: object) -> ToolResult:
    plan = tool_trial(TRIAL, 40)
    titles = [tool.title for tool in plan.tools]
    equal = dict.fromkeys([*titles, "random noise"], Made(4, 2, 40, 201.0)) | {"BIM": Made(900, 40, 40, 201.0)}
    found = ToolResult(
        plan=plan,
        accuracy=0.99,
        rate=0.47,
        benign=cloud(0.99, 0.31),
        attacks={"bim": cloud(0.02, 0.73), "deepfool": cloud(0.2, 0.7), "fgsm": cloud(0.01, 0.72)},
        tools=dict.fromkeys(titles, Made(100, 20, 40, 201.0)),
        clouds=dict.fromkeys(titles, cloud(0.56, 0.63)),
        equal=equal,
    )
    return replace(found, **changed)  # type: ignore[arg-type]


def every(found: ToolResult) -> list[ToolResult]:
    """Return the same of all four of the paper's networks."""
    networks = ("lenet5", "nin", "resnet20", "mobilenet_v2")
    plans = [replace(found.plan, trial=replace(found.plan.trial, network=network)) for network in networks]
    return [replace(found, plan=plan) for plan in plans]


def test_what_lies_between_supports_the_claim() -> None:
    between, attacks = tool_claims(every(result()))
    assert (between.verdict, attacks.verdict) == ("held", "held")
    assert between.ours.startswith("12 yes, 0 no, 0 open of 12")
    beside = {title: cloud(0.999, 0.1) for title in result().tools}
    assert tool_claims(every(result(clouds=beside)))[0].verdict == "not held", "surer than benign inputs"
    few = {title: cloud(0.56, 0.63, seeds=9) for title in result().tools}
    assert tool_claims(every(result(clouds=few)))[0].verdict == "cannot be decided"
    assert tool_claims([result()])[0].verdict == "cannot be decided", "one network of four"
    assert tool_claims([]) == ()


def test_tables_stand_beside_the_printed_figures() -> None:
    found = {row[0]: row for row in found_table([result()]).rows}
    assert found["LeNet-5, DH-KMNC"] == (
        *("LeNet-5, DH-KMNC", "lineage:metamorphic", "40", "201", "100", "20 (34% to 66%)", "2,980 of 500"),
    )
    assert found["LeNet-5, BIM"][1] == "linf:0.3"
    table = tool_mean_table([result()])
    assert table.numbers == (2, 4)
    rows = {row[0]: row for row in table.rows}
    assert rows["LeNet-5, TensorFuzz"][3].startswith("0.560 [")
    assert rows["LeNet-5, TensorFuzz"][3].endswith("(0.579)")
    assert rows["LeNet-5, FGSM"][4].endswith("(0.716)"), "printed"
    assert tool_mean_table([result(clouds={"DH-NC": Cloud((), (), ())})]).rows[1][3] == "- (0.592)"


def test_intervals_are_over_seeds() -> None:
    one = Cloud((0, 0, 0, 1), (1.0, 1.0, 1.0, 0.0), (0.5,) * 4)
    mean = one.mean("pcs")
    assert mean is not None
    assert mean.mean == 0.75
    assert mean.low < 0.01, "either seed may be all there is"
    assert Cloud((), (), ()).mean("pcs") is None


def test_tools_are_told_beside_the_attacks_of_other_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    one = result()
    alone = kuk._told([one], full=False, skipped=())
    assert [table.title.partition(":")[0] for table in alone.tables if table.rows] == ["Table 2", "Table 2 / 4"]
    assert alone.size == "shortened: Table 2, LeNet-5 40 seeds, accuracy 99.0%"
    trial = TrialResult(TRIAL, 0.99, 0.4, "0.4", GroupFigures((), {}, {}), {}, {}, 0)
    monkeypatch.setattr(kuk, "_told_trials", lambda *_: Reproduction("kuk", "small", (), (), (trial,)))
    both = kuk._told([trial, one], full=False, skipped=())
    assert [claim.claim for claim in both.claims[-2:]] == [claim.claim for claim in alone.claims]
    assert both.cells == (trial, one)
    assert both.size == "small; beside, shortened: Table 2, LeNet-5 40 seeds, accuracy 99.0%"
