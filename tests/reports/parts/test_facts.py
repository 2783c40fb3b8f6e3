"""When and with what a report was made."""

from datetime import UTC, datetime

from unnerve.reports.parts.facts import report_date, versions, versions_text


def test_dates_have_minutes_and_a_zone_if_it_is_known() -> None:
    assert report_date(datetime(2025, 11, 15, 12, 30, 59)) == "2025-11-15 12:30"
    assert report_date(datetime(2025, 11, 15, 12, 30, tzinfo=UTC)) == "2025-11-15 12:30 UTC"
    assert report_date()[:2] == "20"


def test_versions_are_named() -> None:
    assert list(versions()) == ["unnerve", "Python", "torch", "numpy", "plotly"]
    assert versions_text({"unnerve": "0.1.0", "to\x1brch": 2}) == "unnerve 0.1.0, to\u241brch 2"
    assert versions_text({}) == "-"
