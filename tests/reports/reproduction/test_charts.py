"""A paper's own figures."""

from unnerve.reports.parts.palette import PALETTE
from unnerve.reports.reproduction.charts import figure_chart
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
