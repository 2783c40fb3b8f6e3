"""A reproduced paper as an HTML file."""

from dataclasses import replace

from tests.reports.reproductions import a_reproduction
from unnerve.reports.reproduction.files import reproduction_files
from unnerve.studies.reproduction import Figure, Series


def test_a_papers_own_figures_take_the_place_of_those_of_a_ranking() -> None:
    figure = Figure("Fig. 1: <all>", "x", "y", (Series("one", (1.0,), (2.0,)),))
    page = reproduction_files(replace(a_reproduction(), figures=(figure,)), "unnerve reproduce someone")["report.html"]
    assert "Fig. 1: &lt;all&gt;" in page
    assert "Do suspect inputs fall more easily?" not in page
    assert "Do suspect inputs fall more easily?" in reproduction_files(a_reproduction(), "")["report.html"]
