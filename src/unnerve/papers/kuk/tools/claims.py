"""What KuK claims of testing tools, beside what was found."""

from collections.abc import Sequence

import numpy as np

from unnerve.papers._rules import BEYOND, COUNTED, Rule, above, tallied
from unnerve.papers.kuk.claims import ENOUGH
from unnerve.papers.kuk.tools.trial import Cloud, ToolResult
from unnerve.studies.reproduction import Claim

__all__ = ["TOOL_RULES", "tool_claims"]

_TOOLS = 3
_LEAST = 10
"""Seeds that a tool must break for its inputs to say something."""
_BETWEEN = Rule(
    "Inputs of testing tools lie between benign inputs and those of attacks, by confidence and by uncertainty",
    "the obtained metrics are between BEs and AEs generated from the adversarial attacks",
    "3.4, Tables 2 and 4",
    "a tool supports it if its mean PCS lies below that of benign inputs and above the middle one of the attacks "
    "(their smallest changes), and its mean VRO the other way round; it is open if an interval over seeds holds a "
    f"limit, or if it broke fewer than {_LEAST} seeds; held if every tool does on every network, partly if more than "
    "half" + COUNTED,
)
_ATTACKS_FIND = Rule(
    "In one region with as many queries BIM breaks more seeds than DeepHunter and TensorFuzz",
    "",
    BEYOND,
    "held if the interval of its share of seeds lies above that of each tool on every network, partly if of more than "
    "half; open where two intervals overlap" + COUNTED,
)
TOOL_RULES = (_BETWEEN, _ATTACKS_FIND)


def tool_claims(results: Sequence[ToolResult]) -> tuple[Claim, ...]:
    """Return the paper's claim on testing tools, and ours beside it; nothing without results."""
    good = [one for one in results if one.accuracy >= ENOUGH.get(one.plan.trial.network, 2)]
    missing = set(ENOUGH) - {one.plan.trial.network for one in results}
    # An open case for each tool of each of the paper's networks that was not run: one network must not decide.
    absent = [None] * _TOOLS * len(missing)
    return (_between(good, absent), _attacks_find(good, absent)) if results else ()


def _between(results: Sequence[ToolResult], absent: Sequence[None]) -> Claim:
    cases: list[bool | None] = []
    told = []
    for one in results:
        for name, cloud in one.clouds.items():
            cases.append(_lies_between(one, cloud))
            pcs, vro = cloud.mean("pcs"), cloud.mean("vro")
            means = "nothing" if pcs is None or vro is None else f"{pcs.mean:.2f} / {vro.mean:.2f}"
            told.append(f"{one.title}, {name} {means} of {len(set(cloud.seeds))} seeds")
    return _BETWEEN.decided(
        tallied([*cases, *absent]),
        "in 12 of 12",
        f"{cases.count(True)} yes, {cases.count(False)} no, {cases.count(None)} open of {len(cases)}; PCS / VRO: "
        + "; ".join(told),
    )


def _lies_between(one: ToolResult, cloud: Cloud) -> bool | None:
    if len(set(cloud.seeds)) < _LEAST:
        return None
    sides = []
    for metric, upward in (("pcs", True), ("vro", False)):
        benign = float(np.mean(getattr(one.benign, metric)))
        attacks = float(np.median([np.mean(getattr(group, metric)) for group in one.attacks.values()]))
        lower, upper = (attacks, benign) if upward else (benign, attacks)
        mean = cloud.mean(metric)
        over = above(mean, upper)
        sides += [above(mean, lower), None if over is None else not over]
    if False in sides:
        return False
    return None if None in sides else True


def _attacks_find(results: Sequence[ToolResult], absent: Sequence[None]) -> Claim:
    cases: list[bool | None] = []
    told = []
    for one in results:
        attack = one.equal["BIM"].share
        for tool in one.plan.tools:
            other = one.equal[tool.title].share
            cases.append(True if attack.low > other.high else False if attack.high < other.low else None)
        shares = ", ".join(f"{name} {made.share.mean:.0%}" for name, made in one.equal.items())
        told.append(f"{one.title}: {shares}")
    return _ATTACKS_FIND.decided(tallied([*cases, *absent]), "-", f"seeds broken, {'; '.join(told)}")
