"""What methods, regions and oracles say of themselves, as plain values that a campaign keeps for its readers.

A reader must not build what a stranger's campaign names: a region may come from a file of Python. So whoever makes a
plan asks its parts for these facts once, and reports are written from them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["CriterionWords", "MethodFacts", "OracleFacts", "ReactionWords", "RegionFacts"]


@dataclass(frozen=True)
class MethodFacts:
    """A hunter in words.

    Parameters
    ----------
    described : dict
        Name and settings, as the catalogue describes it.
    text : str
        As on the command line: ``pgd:steps=20``.
    scope : str
        ``seed``, or ``pool`` if its seeds share a corpus, a queue or a coverage map.
    least : int or None
        Queries per seed, the clean pass included, that it needs for one step; those of a pool share its cost.
    blind : bool
        It does not look at the model before it changes an input.
    one_step : bool
        It takes one step along the gradient, and not many.
    """

    described: Mapping[str, Any]
    text: str
    scope: str = "seed"
    least: int | None = None
    blind: bool = False
    one_step: bool = False

    @property
    def name(self) -> str:
        """The method's name in the catalogue."""
        return str(self.described["name"])


@dataclass(frozen=True)
class RegionFacts:
    """A region in words.

    Parameters
    ----------
    described : dict
        Name and settings, as the catalogue describes it.
    text : str
        As on the command line: ``linf:0.1``.
    phrase : str
        Where changed inputs lie, within a sentence; ``{size}``, ``{percent}`` and ``{unit}`` are filled in.
    size : float or None
        The radius, or the share of pixels.
    norm : str
        The column of a finding that measures its distance in this region: ``l0``, ``l2``, ``linf``, or empty.
    value_range : (float, float)
        The least and the largest valid value.
    reach : float or None
        The largest L2 distance that fits into it, if that is known.
    strict : (float, float) or None
        A smaller size worth stating, and the distance in ``norm`` up to which it reaches; None if there is none.
    wider : str or None
        A region of twice the size, as on the command line.
    normed : bool
        It is a ball of a norm, in which steps of steepest ascent can be taken.
    decibels : float or None
        The smallest ratio of an input to its change, where the size is stated so.
    """

    described: Mapping[str, Any]
    text: str
    phrase: str = "within {text}"
    size: float | None = None
    norm: str = ""
    value_range: tuple[float, float] = (0.0, 1.0)
    reach: float | None = None
    strict: tuple[float, float] | None = None
    wider: str | None = None
    normed: bool = False
    decibels: float | None = None


@dataclass(frozen=True)
class OracleFacts:
    """An oracle in words.

    Parameters
    ----------
    described : dict
        Name and settings, as the catalogue describes it.
    text : str
        As on the command line: ``becomes:3``.
    phrase : str
        When an input is an error, within a sentence; ``{target}`` is filled in.
    deed : str
        What the model was made to do, within a sentence: ``fail``, ``answer {target}``.
    target : int or None
        The only class that counts, if there is one.
    evidence : tuple of str
        Names of the further numbers that it stores with a finding.
    """

    described: Mapping[str, Any]
    text: str
    phrase: str
    deed: str = "fail"
    target: int | None = None
    evidence: tuple[str, ...] = ()

    @property
    def of_errors(self) -> bool:
        """Whether every finding is an error; an oracle that stores ``adversarial`` says so of each by itself."""
        return "adversarial" not in self.evidence

    @property
    def of_patterns(self) -> bool:
        """Whether findings are told by their confidence and uncertainty, which it stores with each."""
        return {"pcs", "vro"} <= set(self.evidence)


@dataclass(frozen=True)
class CriterionWords:
    """What a criterion of coverage counts: ``words`` of its class, for reports.

    Parameters
    ----------
    counted : str
        What is counted, as it stands beside a figure.
    met : str
        What happened to that many, as it stands between two numbers: "178 of 268 neurons are activated by 60 inputs".
    """

    counted: str = ""
    met: str = "obligations are met by"


@dataclass(frozen=True)
class ReactionWords:
    """What a reaction measures: ``words`` of its class, for reports.

    Parameters
    ----------
    exceeding : str
        What neurons are that react, as in "30 % of the neurons are sensitive".
    unit : str
        What it is measured in.
    heading, meaning : str
        The figure's name, and what it means; no such line stands in the glossary if they are empty.
    """

    exceeding: str = "above the threshold"
    unit: str = "units of its own"
    heading: str = ""
    meaning: str = ""
