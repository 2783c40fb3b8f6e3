"""What KuK claims of uncommon inputs, beside what was found."""

from collections.abc import Sequence

from unnerve.papers._rules import BEYOND, Rule, above, tallied
from unnerve.papers.kuk.uncommon_tables import FOUND
from unnerve.papers.kuk.uncommon_trial import PATTERNS, UncommonResult
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.reproduction import Claim

__all__ = ["UNCOMMON_RULES", "uncommon_claims"]

_USEFUL = Rule(
    "KuK's search finds inputs of every pattern",
    "KuK is useful for generating different types of uncommon data",
    "5.1, Table 5",
    "held if it reaches more than 10 % of the seeds for all four patterns on all four networks, partly if in more than "
    "half of these cases; a case is open if its interval holds 10 %, or if it was not run; the printed figures give "
    "partly (HL of LeNet-5: 0.5 % of 200 seeds)",
)
_GRADIENTS = Rule(
    "Gradients through dropout find at least as many uncommon inputs as KuK's search, with fewer queries",
    "",
    BEYOND,
    "held if uncommon_ascent reaches as many seeds or more with fewer queries for all four patterns on all four "
    "networks, partly if in more than half of these cases; a case is open if it was not run",
)
UNCOMMON_RULES = (_USEFUL, _GRADIENTS)
_CASES = len(FOUND) * len(PATTERNS)


def uncommon_claims(results: Sequence[UncommonResult]) -> tuple[Claim, ...]:
    """Return the paper's claim on uncommon inputs, and ours beside it; nothing without results."""
    return (_useful(results), _gradients(results)) if results else ()


def _useful(results: Sequence[UncommonResult]) -> Claim:
    cases, told = [], []
    for result in results:
        counts = [result.found(pattern, "kuk").total for pattern in result.run]
        cases += [above(proportion(count, result.seeds), 0.1) for count in counts]
        said = ", ".join(f"{pattern} {count}" for pattern, count in zip(result.run, counts, strict=True))
        told.append(f"{result.title} {said} of {result.seeds}")
    verdict = tallied([*cases, *_not_run(cases)])
    return _USEFUL.decided(verdict, "0.5 % (LeNet-5, HL) to 100 % of 200 seeds", "; ".join(told))


def _gradients(results: Sequence[UncommonResult]) -> Claim:
    cases, told = [], []
    for result in results:
        for pattern in result.run:
            ours, theirs = (result.found(pattern, method) for method in ("uncommon_ascent", "kuk"))
            cases.append(ours.total >= theirs.total and ours.queries < theirs.queries)
            told.append(f"{result.title} {pattern} {ours.total} against {theirs.total}")
    return _GRADIENTS.decided(tallied([*cases, *_not_run(cases)]), "-", "; ".join(told))


def _not_run(cases: Sequence[object]) -> list[None]:
    return [None] * (_CASES - len(cases))
