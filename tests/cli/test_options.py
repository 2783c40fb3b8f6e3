import json
from pathlib import Path

import pytest
from PIL import Image

from unnerve.cli.main import main


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def photos() -> Path:
    folder = Path("photos")
    folder.mkdir()
    for number in range(3):
        Image.new("L", (28, 28), number).save(folder / f"{number}.png")
    for name in "abcdef":
        (folder / f"{name}.png").write_bytes(b"garbage")
    return folder


def test_unreadable_images_end_a_run_with_their_name(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "zoo:lenet5", str(photos)]) == 2
    assert "2.png" not in (said := capsys.readouterr().err)
    assert said.startswith("unnerve: photos/a.png: must be an image, whole and undamaged")
    assert not Path("ranking.csv").exists()


def test_unreadable_images_are_left_out_named_and_counted(photos: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rank", "zoo:lenet5", str(photos), "--skip-unreadable", "--json"]) == 0
    said = capsys.readouterr()
    figures = json.loads(said.out)
    assert (figures["count"], figures["skipped"]) == (3, 6)
    shown = "a.png, b.png, c.png, d.png, e.png, ..."
    assert said.err.strip() == f"unnerve: 6 unreadable inputs are left out: {shown}"


def test_columns_of_a_table_have_no_range_in_common(capsys: pytest.CaptureFixture[str]) -> None:
    Path("people.csv").write_text("age,income,label\n20,1000,yes\n79,5000,no\n")
    Path("net.py").write_text("import torch\ndef net(x): return torch.tensor(x).float()\n")
    assert main(["rank", "net.py:net", "people.csv"]) == 0, capsys.readouterr().err
    assert "the data hold values" not in capsys.readouterr().err
