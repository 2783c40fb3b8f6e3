"""A paper's own figures."""

from unnerve.reports.parts.palette import PALETTE
from unnerve.reports.reproduction.charts import figure_chart, is_wide
from unnerve.studies.reproduction import Figure, Series


def test_a_papers_figure_has_lines_points_and_bars() -> None:
    series = (
        Series("<b>a</b>", (1.0, 2.0), (0.5, 0.25), ci95=((0.4, 0.8), (0.2, 0.3))),
        Series("b", (1.0,), (3.0,), "points"),
        Series("c", ("nc", "kmnc"), (0.1, 0.2), "bars"),
    )
    chart = figure_chart(Figure("title", "x (units)", "y (units)", series))
    line, points, bars = chart["data"]
    assert (line["mode"], points["mode"], bars["type"]) == ("lines+markers", "markers", "bar")
    assert line["name"] == "&lt;b&gt;a&lt;/b&gt;"
    assert line["error_y"]["array"] == [0.8 - 0.5, 0.3 - 0.25]
    assert line["error_y"]["arrayminus"] == [0.5 - 0.4, 0.25 - 0.2]
    assert "error_y" not in points
    assert bars["x"] == ["nc", "kmnc"]
    assert chart["layout"]["xaxis"]["type"] == "category"
    assert chart["layout"]["xaxis"]["title"]["text"] == "x (units)"
    colours = [line["line"]["color"], points["marker"]["color"], bars["marker"]["color"]]
    assert len(set(colours)) == 3
    assert all(colour in {light for light, _ in PALETTE.values()} for colour in colours)


def test_intervals_of_bars_can_be_seen_on_them() -> None:
    bars = Series("a", ("nc",), (0.5,), "bars", ci95=((0.4, 0.8),))
    (drawn,) = figure_chart(Figure("title", "x", "y", (bars,)))["data"]
    assert drawn["error_y"]["color"] != drawn["marker"]["color"]


def test_more_than_six_series_have_colours_of_their_own() -> None:
    series = tuple(Series(str(place), ("a", "b", "c"), (1.0, 2.0, 3.0), "bars") for place in range(7))
    figure = Figure("title", "x", "y", series)
    assert len({one["marker"]["color"] for one in figure_chart(figure)["data"]}) == 7
    assert is_wide(figure), "21 bars"
    assert not is_wide(Figure("title", "x", "y", series[:6]))
    assert not is_wide(Figure("title", "x", "y", (Series("a", tuple(range(90)), (0.0,) * 90),))), "a line"
