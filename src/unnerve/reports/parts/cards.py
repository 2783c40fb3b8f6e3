"""A figure at a glance, with what is good and what is bad."""

from dataclasses import dataclass

__all__ = ["Card"]


@dataclass(frozen=True)
class Card:
    """One figure.

    Parameters
    ----------
    figure : str
    name : str
        What it is.
    note : str
        What is good or bad, and how sure it is.
    term : str
        Its explanation further down the page.
    """

    figure: str
    name: str
    note: str
    term: str
