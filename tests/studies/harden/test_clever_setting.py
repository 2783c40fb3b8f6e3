"""What harden takes as CLEVER."""

from pathlib import Path

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.studies.harden.harden import _clever
from unnerve.studies.harden.settings import HardenSettings


def test_a_measure_of_ones_own_is_no_clever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sc.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Mine:\n    def scores(self): ...\n"
    )
    with pytest.raises(InvalidSetting, match=r"^`clever` must be clever with its settings, got sc\.py:Mine$"):
        _clever(HardenSettings(clever="sc.py:Mine"))
    assert _clever(HardenSettings(clever="clever:norm=linf", seed=4)).seed == 4
