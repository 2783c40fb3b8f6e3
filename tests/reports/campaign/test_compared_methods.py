"""Methods of several campaigns."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence


def test_labels_that_clash_get_their_folders_name(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    found = evidence([made.campaign(tmp_path / "a"), made.campaign(tmp_path / "b")])
    assert [method.label for method in found.methods] == ["pgd (a)", "pgd (b)"]
    far = evidence([made.campaign(tmp_path / "c" / "x"), made.campaign(tmp_path / "d" / "x")])
    assert [method.label for method in far.methods] == [f"pgd ({tmp_path / name / 'x'})" for name in "cd"]


def test_other_data_is_not_compared(tmp_path: Path) -> None:
    made = Hunted(methods=("pgd",))
    found = evidence([made.campaign(tmp_path / "a"), made.but(data="other").campaign(tmp_path / "b")])
    assert (len(found.seeds), found.tasks, found.differences) == (24, (0, 1), ())
