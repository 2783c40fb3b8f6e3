"""What is said of a campaign, whatever the page."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.parts.campaigns import class_names, subject, unfinished


def test_a_campaign_says_what_it_is_about_and_how_far_it_is(tmp_path: Path) -> None:
    ended = Hunted().campaign(tmp_path / "a")
    assert subject(ended) == "zoo:tiny on made-up"
    assert class_names(ended) == ["zero", "one", "two", "three"]
    assert unfinished([ended]) == ()
    begun = Hunted(missing=2).campaign(tmp_path / "b")
    assert unfinished([begun]) == ("4 of 6 shards finished; --resume goes on.",)
    assert unfinished([ended, begun]) == (f"{tmp_path / 'b'}: 4 of 6 shards finished; --resume goes on.",)
