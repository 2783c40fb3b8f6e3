"""Findings as files: exact, listed, and into a folder that holds nothing else."""

import csv
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.reports.campaigns import Hunted
from unnerve.core.errors import InvalidSetting, OutputRefused, UnknownName
from unnerve.studies.campaign import export as exporting
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.export import export


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return Hunted().campaign(tmp_path / "campaign")


def listed(folder: Path) -> list[dict[str, str]]:
    with (folder / "findings.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_every_finding_is_a_file_and_a_row(campaign: Campaign, tmp_path: Path) -> None:
    to = tmp_path / "to"
    done = export(campaign, to)
    rows, stored = listed(to), {(row["method"], row["id"]): row for row in campaign.findings.to_pylist()}
    assert done.summary() == {"findings": len(stored), "inexact": len(stored), "out": str(to)}
    assert repr(done).startswith(f"<Exported: {len(stored):,} findings in {to}, listed in {to / 'findings.csv'}; ")
    assert done.table().num_rows == len(stored)
    assert {(row["method"], row["id"]) for row in rows} == set(stored)
    assert {path.name for path in to.iterdir()} == {"findings.csv"} | {
        f"{row['method']}-{row['id']}.{kind}" for row in rows for kind in ("png", "npy")
    }
    for row in rows[:3]:
        values = np.load(to / row["file"].replace(".png", ".npy"))
        found = stored[row["method"], row["id"]]
        assert values.tobytes() == found["input"]
        assert np.array_equal(np.asarray(Image.open(to / row["file"])), np.rint(values[0] * 255))
        assert (row["label"], row["before"]) == (campaign.header["classes"][found["label"]],) * 2


def test_those_with_some_ids(campaign: Campaign, tmp_path: Path) -> None:
    ids = sorted({row["id"] for row in campaign.findings.to_pylist()})[:2]
    export(campaign, tmp_path / "to", ids=",".join(ids))
    assert {row["id"] for row in listed(tmp_path / "to")} == set(ids)
    with pytest.raises(InvalidSetting, match=r"ids must be of findings of .*, got 'other'"):
        export(campaign, tmp_path / "no", ids=[*ids, "other"])
    with pytest.raises(InvalidSetting, match=r"ids must be of findings of .*, got 'other'"):
        export(campaign, tmp_path / "no", ids=[*ids, "other"], limit=1)
    export(campaign, tmp_path / "one", ids=ids, limit=1)
    assert len(listed(tmp_path / "one")) == 1
    export(campaign, tmp_path / "brief", ids=[name[:8] for name in ids])
    assert {row["id"] for row in listed(tmp_path / "brief")} == set(ids)
    with pytest.raises(InvalidSetting, match="got"):
        export(campaign, tmp_path / "short", ids=[ids[0][:7]])
    assert not (tmp_path / "no").exists()


def test_some_of_them(campaign: Campaign, tmp_path: Path) -> None:
    export(campaign, tmp_path / "to", method="random", limit=2)
    rows = listed(tmp_path / "to")
    assert {row["method"] for row in rows} == {"random"}
    smallest = sorted(row["l2"] for row in campaign.findings.to_pylist() if row["method"] == "random")[:2]
    assert sorted(float(row["l2"]) for row in rows) == pytest.approx(smallest)
    for number, both in enumerate(("pgd,random", ["pgd", "random"])):
        export(campaign, tmp_path / str(number), method=both)
        assert {row["method"] for row in listed(tmp_path / str(number))} == {"pgd", "random"}
    with pytest.raises(UnknownName, match="pgx"):
        export(campaign, tmp_path / "other", method=["pgd", "pgx"])
    with pytest.raises(UnknownName, match="pgx"):
        export(campaign, tmp_path / "other", method="pgx")
    with pytest.raises(InvalidSetting, match="limit must be >= 1, got 0"):
        export(campaign, tmp_path / "other", limit=0)
    assert not (tmp_path / "other").exists()


def test_one_finding_is_told_of_in_the_singular(tmp_path: Path) -> None:
    words = exporting.Exported(tmp_path, 1, 1).headline()
    assert words.startswith(f"1 finding in {tmp_path}, ")
    assert "; 1 is not an 8-bit image and has its values in an NPY file" in words


def test_no_cell_is_a_formula_and_no_name_leads_out_of_the_folder(
    campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    classes = [f"=cmd|{name}" for name in campaign.header["classes"]]
    monkeypatch.setitem(campaign.header, "classes", classes)
    rows = [{**row, "id": f"../../{row['id']}", "seed_id": "@\x1b[2J"} for row in campaign.findings.to_pylist()[:2]]
    monkeypatch.setattr(exporting, "_rows", lambda *_: rows)
    export(campaign, tmp_path / "to")
    for row in listed(tmp_path / "to"):
        assert row["label"].startswith("'=cmd|")
        assert row["seed_id"] == "'@\u241b[2J"
        assert (tmp_path / "to" / row["file"]).is_file()
        assert "/" not in row["file"]


def stopped(campaign: Campaign, to: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave an export in the middle, as one that was killed does."""
    usual, written = exporting._written, []

    def third_fails(*given: object) -> object:
        written.append(given)
        if len(written) == 3:
            raise KeyboardInterrupt
        return usual(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(exporting, "_written", third_fails)
    with pytest.raises(KeyboardInterrupt):
        export(campaign, to)
    monkeypatch.undo()
    assert any(to.glob("*.npy"))
    assert not (to / "findings.csv").exists()


def test_a_killed_export_can_be_run_again(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = tmp_path / "to"
    stopped(campaign, to, monkeypatch)
    export(campaign, to, method="random", limit=2)
    names = {row["file"] for row in listed(to)}
    assert len(names) == 2
    assert {path.stem for path in to.iterdir()} == {"findings", *(Path(name).stem for name in names)}
    with pytest.raises(OutputRefused, match="is not an empty folder; choose another `to`"):
        export(campaign, to)


def test_files_of_others_stay(campaign: Campaign, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    to = tmp_path / "to"
    stopped(campaign, to, monkeypatch)
    (to / "notes.txt").write_text("mine")
    before = set(to.iterdir())
    with pytest.raises(OutputRefused, match=r"holds notes\.txt, which no export wrote; choose another `to`"):
        export(campaign, to)
    assert set(to.iterdir()) == before
    for place in (tmp_path / "campaign", to / "notes.txt"):
        with pytest.raises(OutputRefused, match="is not an empty folder"):
            export(campaign, place)
