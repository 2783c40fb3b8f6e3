"""What the page of a reproduced paper says, as plain values: no HTML, no plotting, no clock."""

import inspect
import re
from dataclasses import dataclass

from unnerve.core.errors import UserError
from unnerve.core.naming.catalogue import find
from unnerve.reports.parts.glossary import Term
from unnerve.reports.reproduction.glossary import reproduction_glossary
from unnerve.studies.reproduction import Reproduction

__all__ = ["ReproductionPage", "reproduction_page"]

_REFERENCES = re.compile(r"^References\n-+\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class ReproductionPage:
    """What the page shows beside the result itself.

    Parameters
    ----------
    result : Reproduction
    citation : str
        Authors, title and year; empty if the paper's code does not say.
    verdicts : dict of str to int
        How many claims have each verdict, ``held`` among them even if none has it.
    figures : dict of str to str
        Titles by id of the chart.
    wide : set of str
        Ids of the charts that need the width of the page.
    glossary : tuple of Term
    command, date : str
    """

    result: Reproduction
    citation: str
    verdicts: dict[str, int]
    figures: dict[str, str]
    wide: set[str]
    glossary: tuple[Term, ...]
    command: str
    date: str


def reproduction_page(
    result: Reproduction, figures: dict[str, str], wide: set[str], command: str, date: str
) -> ReproductionPage:
    """Turn a reproduced paper into the values of its page."""
    return ReproductionPage(
        result=result,
        citation=_citation(result.paper),
        verdicts=result.verdicts(),
        figures=figures,
        wide=wide,
        glossary=reproduction_glossary(result),
        command=command,
        date=date,
    )


def _citation(paper: str) -> str:
    try:
        words = inspect.getdoc(find("paper", paper)) or ""
    except UserError:  # of a package that is not installed here: its results can be shown all the same
        return ""
    said = _REFERENCES.search(words)
    return " ".join(said[1].split()) if said else ""
