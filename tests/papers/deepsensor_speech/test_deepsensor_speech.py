from pathlib import Path

import pytest

from unnerve.core.errors import InvalidData
from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits, Hunted
from unnerve.papers.deepsensor_faults.setup import FaultPlan
from unnerve.papers.deepsensor_speech import deepsensor_speech as module
from unnerve.papers.deepsensor_speech.deepsensor_speech import deepsensor_speech
from unnerve.papers.deepsensor_speech.setup import CLIPS
from unnerve.reports.reproduction.files import reproduction_files

BROKEN = {
    "excitable": 36,
    "sensitive": 30,
    "DeepXplore": 2,
    "DLFuzz": 8,
    "DeepHunter": 5,
    "PGD": 40,
    "random noise": 10,
}


def hits(broken: int, kinds: int = 1) -> Hits:
    """Return five times as many seeds: enough that a clear lead is sure."""
    rest = (0,) * (40 - broken)
    return Hits(5 * ((2 * kinds,) * broken + rest), 5 * ((kinds,) * broken + rest), 100.0)


def small(plan: FaultPlan, experiment: Experiment) -> Hunted:
    """Return more errors of excitable neurons than of rivals, and fewer in sound networks; noise wins at 20 dB."""
    fewer = 16 if plan.kind == "sound" else 0
    rows = {name: hits(max(0, count - fewer)) for name, count in BROKEN.items()}
    if plan.setup.region == "snr:20":
        rows["random noise"] = hits(40, 3)
    return Hunted(plan, 0.9, rows)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(module, "hunted", small)
    (tmp_path / CLIPS).parent.mkdir()
    (tmp_path / CLIPS).touch()
    return tmp_path


def verdicts(folder: Path, data: Path) -> dict[str, str]:
    return {claim.claim: claim.verdict for claim in deepsensor_speech(data, folder).finished().claims}


def test_tables_and_claims(data: Path, tmp_path: Path) -> None:
    outline = deepsensor_speech(data, tmp_path / "out")
    assert len({part.name for part in outline.parts}) == len(outline.parts) == 3 * 4 + 1
    result = outline.finished()
    assert [table.numbers for table in result.tables] == [(6,), (7,)]
    assert [claim.verdict for claim in result.claims] == ["held", "held", "partly", "held", "held"]
    rows = {(row[0], row[3]): row for row in result.tables[0].rows}
    row = rows["deep_speaker, snr:40", "excitable"]
    assert row[1:3] == ("1", "90.0")
    assert row[4].startswith("50 (")
    assert row[5].startswith("1.0 (")
    assert row[5].endswith("[4.5]"), "18,016 of 4,000 seeds are printed"
    assert row[6].endswith("[4.25]")
    bad = {row[0]: row for row in result.tables[1].rows}
    assert set(bad) == {f"deep_speaker, {kind}, snr:40" for kind in ("sound", "underfitted", "overfitted")}
    assert bad["deep_speaker, underfitted, snr:40"][3].startswith("90 (")
    assert bad["deep_speaker, underfitted, snr:40"][3].endswith("[98]"), "983 of 1,000 are printed"
    assert len(result.figures) == 2
    assert "networks of width 8" in reproduction_files(result, "")["results.md"]


def test_further_trainings_are_run_if_they_are_asked_for_and_told_from_then_on(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    assert {row[1] for row in deepsensor_speech(data, folder).finished().tables[1].rows} == {"1"}
    (skipped,) = deepsensor_speech(data, folder).finished().skipped
    assert skipped.startswith("deep_speaker-sound-snr40-1, ")
    assert skipped.count("resnet34") == 2
    deepsensor_speech(data, folder).finished(only="1")
    deepsensor_speech(data, folder).finished(only="2")
    result = deepsensor_speech(data, folder).finished()
    assert result.skipped == ()
    assert {row[1] for row in result.tables[1].rows} == {"3"}
    assert {(row[0], row[1]) for row in result.tables[0].rows} == {
        ("deep_speaker, snr:40", "3"),
        ("deep_speaker, snr:20", "1"),
        ("resnet34, snr:40", "3"),
    }


def test_where_rivals_find_as_much_nothing_is_held(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def beaten(plan: FaultPlan, experiment: Experiment) -> Hunted:
        return Hunted(plan, 0.9, {name: hits(40 if name in ("DLFuzz", "random noise") else 4, 2) for name in BROKEN})

    monkeypatch.setattr(module, "hunted", beaten)
    assert set(verdicts(tmp_path / "out", data).values()) <= {"not held", "cannot be decided"}


def test_networks_that_were_not_run_leave_claims_open(data: Path, tmp_path: Path) -> None:
    found = deepsensor_speech(data, tmp_path / "out").finished(only="underfitted").claims
    assert found
    assert {claim.verdict for claim in found} == {"cannot be decided"}


def test_folders_without_speech_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"must hold speech/audiomnist_16k\.npz"):
        deepsensor_speech(tmp_path, tmp_path / "out")
    with pytest.raises(InvalidData, match="no such folder"):
        deepsensor_speech(tmp_path / "absent", tmp_path / "out")
