from pathlib import Path

import pytest

from unnerve.core.errors import OutputRefused
from unnerve.studies import demo as study


def test_a_bad_folder_costs_no_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "model", lambda source: pytest.fail("work began"))
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputRefused, match=r"cannot write to .*file"):
        study.demo(tmp_path / "file")


def test_a_new_folder_is_made_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "model", lambda source: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        study.demo(tmp_path / "new" / "folder")
    assert (tmp_path / "new" / "folder").is_dir()
