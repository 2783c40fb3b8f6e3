"""A reproduced paper as an HTML file."""

from dataclasses import replace

from tests.reports.markup import parsed
from tests.reports.reproductions import a_reproduction
from unnerve.reports.reproduction.files import reproduction_files
from unnerve.reports.reproduction.page import reproduction_page
from unnerve.studies.reproduction import Figure, Series


def test_a_papers_own_figures_take_the_place_of_those_of_a_ranking() -> None:
    figure = Figure("Fig. 1: <all>", "x", "y", (Series("one", (1.0,), (2.0,)),))
    page = reproduction_files(replace(a_reproduction(), figures=(figure,)), "unnerve reproduce someone")["report.html"]
    assert "Fig. 1: &lt;all&gt;" in page
    assert "Do suspect inputs fall more easily?" not in page
    assert "Do suspect inputs fall more easily?" in reproduction_files(a_reproduction(), "")["report.html"]


def test_the_headline_counts_every_verdict_and_the_table_begins_with_it() -> None:
    page = reproduction_files(a_reproduction(), "")["report.html"]
    assert "1 of 2 claims of someone held, 1 not held." in "".join(parsed(page).text)
    assert '<span class="badge held">held</span><details class="rule"><summary>Rule</summary>once is enough' in page
    assert '<span class="badge broken">not held</span>' in page


def test_it_names_the_paper_and_explains_its_letters() -> None:
    page = reproduction_page(replace(a_reproduction(), paper="nsatp"), {}, set(), "", "")
    assert page.citation.startswith("Zhang et al.")
    assert page.citation.endswith("2019.")
    assert [term.word for term in page.glossary] == ["PD"]
    assert reproduction_page(a_reproduction(), {}, set(), "", "").citation == ""
