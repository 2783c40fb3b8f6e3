"""What KuK claims of defences, beside what was measured."""

from collections.abc import Sequence
from math import sqrt

import numpy as np

from unnerve.papers._rules import Rule, tallied
from unnerve.papers.kuk.defence_tables import DEFENCES, RETRAINED
from unnerve.papers.kuk.defence_trial import COMMON, UNCOMMON, DefenceResult
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim, Verdict

__all__ = ["DEFENCE_RULES", "defence_claims"]

_HARDER = Rule(
    "Defences do worse on uncommon than on common inputs",
    "The uncommon data inputs are not well defended by existing defense techniques",
    "5.2, Tables 6 and 7",
    "held if every defence of every network gets a smaller share of the uncommon than of the common inputs right, "
    "partly if more than half do; a case is open if the intervals of the two shares overlap, or if it was not run, "
    "as two of the 18 printed ones never are: distillation and label smoothing of NIN",
)
_FALL = Rule(
    "The success of defences falls by 35 % on average",
    "the average defense success rate reduced by 35%",
    "abstract",
    "held if the mean fall over defences and networks lies between 25 and 45 points, partly if it lies above 10; "
    "cannot be decided if its interval over inputs crosses a limit, or if fewer than half of the 18 printed "
    "cases were run; NIN's distillation and label smoothing never are",
)
_ABLATION = Rule(
    "Retrained LeNet-5s do worse on uncommon adversarial inputs than on uncommon benign ones",
    "The success rate is reduced to 90.8% and 79.9% if we only use the uncommon AEs",
    "5.2",
    "held if distillation and label smoothing both get a smaller share of the adversarial than of the benign uncommon "
    "inputs right, partly if one does; a case is open if the intervals of the two shares overlap, or if it was not run",
)
DEFENCE_RULES = (_HARDER, _FALL, _ABLATION)
_CASES = sum(map(len, DEFENCES.values()))


def defence_claims(results: Sequence[DefenceResult]) -> tuple[Claim, ...]:
    """Return the paper's claims on defences; nothing without results."""
    pairs = [
        (common.share, uncommon.share)
        for result in results
        for text in result.plan.defences
        if (common := result.counts(text, COMMON)) and (uncommon := result.counts(text, UNCOMMON))
    ]
    return (_harder(pairs), _fall(pairs), *_ablation(results)) if pairs else ()


def _harder(pairs: Sequence[tuple[Interval, Interval]]) -> Claim:
    falls = [common.mean - uncommon.mean for common, uncommon in pairs]
    cases = [_smaller(uncommon, common) for common, uncommon in pairs]
    fewer = sum(fall > 0 for fall in falls)
    told = f"{fewer} of {len(falls)} defences, by {min(falls):+.2f} to {max(falls):+.2f}"
    return _HARDER.decided(tallied([*cases, *[None] * (_CASES - len(cases))]), f"{_CASES} of {_CASES}", told)


def _fall(pairs: Sequence[tuple[Interval, Interval]]) -> Claim:
    falls = [_difference(common, uncommon) for common, uncommon in pairs]
    # The mean of the ends, as if all cases erred together: defences of a network are shown the same inputs.
    mean, low, high = (float(np.mean([getattr(one, end) for one in falls])) for end in ("mean", "low", "high"))
    verdict: Verdict = "cannot be decided"
    if 2 * len(falls) >= _CASES:
        ends = {_by_fall(low), _by_fall(mean), _by_fall(high)}
        verdict = ends.pop() if len(ends) == 1 else verdict
    return _FALL.decided(verdict, "35 %", f"{100 * mean:.0f} points over {len(falls)} defences", (low, high))


def _ablation(results: Sequence[DefenceResult]) -> tuple[Claim, ...]:
    """Return the claim on retrained models, if there is one of them."""
    known = {
        text.partition(":")[0]: one.counts(text, UNCOMMON)
        for one in results
        if one.network == "lenet5"
        for text in one.plan.defences
    }
    cases: list[bool | None] = []
    told = []
    for name in RETRAINED:
        counts = known.get(name)
        wrong, right = (None, None) if counts is None else (counts.adversarial_share, counts.benign_share)
        cases.append(None if wrong is None or right is None else _smaller(wrong, right))
        told.append(f"{name} {'-' if wrong is None or counts is None else f'{wrong.mean:.1%} of {counts.adversarial}'}")
    verdict = tallied(cases, partly=0.4)
    run = any(name in known for name in RETRAINED)
    return (_ABLATION.decided(verdict, "90.8 and 79.9 %", ", ".join(told)),) if run else ()


def _smaller(one: Interval, other: Interval) -> bool | None:
    """Say whether one share lies below another; None if their intervals overlap."""
    if one.low <= other.high and other.low <= one.high:
        return None
    return one.mean < other.mean


def _difference(one: Interval, other: Interval) -> Interval:
    """Return the difference of two independent shares, with an interval from theirs (Newcombe, 1998, method 10)."""
    mean = one.mean - other.mean
    low = mean - sqrt((one.mean - one.low) ** 2 + (other.high - other.mean) ** 2)
    high = mean + sqrt((one.high - one.mean) ** 2 + (other.mean - other.low) ** 2)
    return Interval(mean, low, high)


def _by_fall(fall: float) -> Verdict:
    if 0.25 <= fall <= 0.45:
        return "held"
    return "partly" if fall > 0.1 else "not held"
