"""What all charts share."""

from unnerve.reports.parts.plotly import library


def test_the_library_can_stand_in_a_page() -> None:
    assert "</script" not in library().lower()
