"""What Harel-Canada et al. asked of coverage, and what DeepHunter found with and without it."""

from collections.abc import Callable, Iterator

from unnerve.papers._rules import BEYOND, Rule, above, lead_text, tallied
from unnerve.papers.deepsensor.experiments.guidance import CRITERIA, EVERYTHING, Guidance
from unnerve.papers.deepsensor.first_errors import evenness, naturalness
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "guidance_claims"]

_ASKED = (
    "asked by Harel-Canada et al., “Is Neuron Coverage a Meaningful Measure for Testing Deep Neural Networks?”, 2020"
)
_DECIDED = (
    ": a case is a criterion (nc, kmnc, nbc, snac, tknc) of DeepHunter on LeNet-5: it supports the statement if the "
    "interval over hunts and seeds of the difference to the same search whose queue nothing joins lies above 0, "
    "contradicts it if below, and is open else; held if all criteria do, partly if more than half; one training seed"
)
# Kinds, not seeds broken: where nearly all seeds are broken without coverage, no criterion could be ahead for sure.
_MORE = Rule(
    "Coverage-guided search finds more errors than the same search without coverage",
    "",
    BEYOND,
    "by kinds of errors per seed" + _DECIDED,
)
_NATURAL = Rule(
    "Coverage-guided search finds more natural errors than the same search without coverage",
    "",
    BEYOND,
    "by the share of the errors, one for each seed and wrong class, that LeNet-4 answers rightly" + _DECIDED,
)
_EVEN = Rule(
    "Coverage-guided search finds less biased errors than the same search without coverage",
    "",
    BEYOND,
    "by Pielou's evenness of the wrong classes, each counted once a seed" + _DECIDED,
)
RULES = (_MORE, _NATURAL, _EVEN)


def guidance_claims(result: Guidance) -> Iterator[Claim]:
    """Yield the answers to the three questions."""
    yield _claim(_MORE, "kinds of errors per seed", result.more_kinds)
    yield _claim(_NATURAL, "share that LeNet-4 answers rightly", lambda name: result.lead(name, naturalness))
    yield _claim(_EVEN, "evenness", lambda name: result.lead(name, evenness))


def _claim(rule: Rule, figure: str, lead: Callable[[str], Interval | None]) -> Claim:
    leads = {name: lead(name) for name in CRITERIA}
    told = ", ".join(lead_text(name, value) for name, value in leads.items())
    without = lead_text("everything joins the queue, without coverage", lead(EVERYTHING))
    return rule.decided(
        tallied(above(value, 0) for value in leads.values()),
        _ASKED,
        f"{figure}, more than where nothing joins the queue: {told}; {without}",
    )
