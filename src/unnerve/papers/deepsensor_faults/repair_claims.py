"""What the DeepSensor papers claim of retraining on test inputs, and which findings repair best."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from unnerve.papers._rules import BEYOND, Rule, above, tallied
from unnerve.papers.deepsensor_faults.changes import (
    ENOUGH,
    change,
    changed,
    lead,
    like_networks,
    most_possible,
    too_few,
)
from unnerve.papers.deepsensor_faults.experiments.repaired import ADVERSARIAL, Repaired
from unnerve.papers.deepsensor_faults.experiments.swept import KINDS
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "claims_of"]

_RIVALS = ("DeepXplore", "DLFuzz", "DeepHunter")
_ATTACKS = ("pgd", "fgsm", "deepfool", "jsma")
_OVER = "over networks and inputs"
_FEW = f"is open where CLEVER was measured on fewer than {ENOUGH} inputs"
_ASR = Rule(
    "Retraining on DeepSensor's inputs lowers PGD's success 1.6 times as much as on its rivals'",
    "leads to more decrease (~ x1.6) on ASR",
    "excitable neurons, 6.2.1, Fig. 4; sensitive neurons, IV-D, Fig. 4 (a)",
    f"a case is a kind of neurons and a network: it supports the claim if the interval {_OVER} of "
    "DeepSensor's decrease less 1.3 times the rivals' mean decrease lies above 0, and is open for a network that was "
    "trained once; held if all cases do, partly if more than half",
)
_SEVENTY = Rule(
    "Retraining on DeepSensor's inputs lowers the success of every attack by more than 70 points",
    "In Fig. 5, Δ ASR after retraining by DeepSensor are all over 70%",
    "excitable neurons, 6.2.1, Fig. 5",
    f"a case is a kind of neurons, a network and an attack: it supports the claim if the interval {_OVER} of the "
    "decrease lies above 0.7; held if all cases do, partly if more than half",
)
_THAN_TRAINING = Rule(
    "It helps more against DeepFool and JSMA than adversarial training by PGD does",
    "the robustness against DeepFool and JSMA are higher than that by PGD-AT",
    "excitable neurons, 6.2.1, Fig. 5",
    "a case is a kind of neurons, a network and one of the two attacks: it supports the claim if the interval "
    f"{_OVER} of the difference of the decreases lies above 0, and is open for a network that was trained once; "
    "held if all cases do, partly if more than half",
)
_CLEVER = Rule(
    "Retraining on DeepSensor's inputs raises CLEVER by 0.12",
    "DeepSensor increases certified robustness by 0.12 on average, almost 3 times better than all baselines",
    "excitable neurons, 6.2.2, Fig. 6; sensitive neurons, IV-D, Fig. 4 (b) (up to 0.2)",
    f"a case is a kind of neurons and a network: it supports the claim if the interval {_OVER} of the increase lies "
    f"above 0.1, and {_FEW}; held if all cases do, partly if more than half",
)
_CLEVER_RIVALS = Rule(
    "It raises CLEVER three times as much as its rivals' inputs do",
    "achieves larger CLEVER scores (~ x3) than baselines on average",
    "excitable neurons, 6.2.2, Fig. 6",
    f"a case is a kind of neurons and a network: it supports the claim if the interval {_OVER} of "
    "DeepSensor's increase less twice the rivals' mean increase lies above 0, and is open for a network that was "
    f"trained once, and {_FEW}; held if all cases do, partly if more than half",
)
_CLEAN = Rule(
    "Retraining barely affects clean accuracy",
    "the benign accuracy of all retrained models is barely affected by the retraining",
    "excitable neurons, 6.2",
    f"a case is a kind of neurons and a network: it supports the claim if the interval {_OVER} of the change lies "
    "above -0.01, one point; held if all cases do, partly if more than half",
)
_BEST = Rule(
    "Findings of class_tour repair better than as many of PGD and of DeepSensor",
    "",
    BEYOND,
    "by the share of inputs that are right and stay right under PGD in the smaller region, of repairs by as many "
    "findings: a case is a network and PGD, sensitive or excitable neurons: it supports the statement if the interval "
    f"{_OVER} of class_tour's lead lies above 0, and is open for a network that was trained once; held if "
    "all cases do, partly if more than half",
)
RULES = (_ASR, _SEVENTY, _THAN_TRAINING, _CLEVER, _CLEVER_RIVALS, _CLEAN, _BEST)


def claims_of(results: Sequence[Repaired]) -> Iterator[Claim]:
    """Yield the claims of repairs, if any was tried."""
    if not results:
        return
    groups = like_networks(results)
    yield _against_rivals(_ASR, groups, "pgd", -1, 1.3, "x1.6 (Fig. 4)")
    yield _changes(_SEVENTY, groups, _ATTACKS, lambda one: above(_signed(one, -1), 0.7), "all over 70 %")
    yield _than_training(groups)
    yield _changes(_CLEVER, groups, ("clever",), lambda one: above(one, 0.1), "+0.12 on average")
    yield _against_rivals(_CLEVER_RIVALS, groups, "clever", 1, 2, "x3")
    yield _changes(_CLEAN, groups, ("clean",), lambda one: above(one, -0.01), "barely affected")
    yield _best(groups)


def _changes(
    rule: Rule,
    groups: dict[str, list[Repaired]],
    figures: Sequence[str],
    outcome: Callable[[Interval | None], bool | None],
    printed: str,
) -> Claim:
    cases, told = [], []
    for network, some in groups.items():
        for kind in KINDS:
            for figure in figures:
                cases.append(outcome(change(some, kind, figure)))
                told.append(f"{network}, {kind}, {figure}: {_told(some, kind, figure)}")
    return rule.decided(tallied(cases), printed, "changes: " + "; ".join(told))


def _against_rivals(
    rule: Rule, groups: dict[str, list[Repaired]], figure: str, sign: int, factor: float, printed: str
) -> Claim:
    cases, told = [], []
    for network, some in groups.items():
        rivals = [name for name in _RIVALS if all(name in one.repairs for one in some)]
        known = "; ".join(f"{name} {_told(some, name, figure)}" for name in rivals)
        most = most_possible(some[0].plan, figure)
        for kind in KINDS:
            pairs = [
                (
                    _signed(changed(one, kind, figure), sign),
                    [_signed(changed(one, name, figure), sign) for name in rivals],
                )
                for one in some
            ]
            cases.append(above(lead(pairs, most, factor), 0))
            told.append(f"{network}, {kind} {_told(some, kind, figure)}")
        told.append(f"rivals: {known}")
    return rule.decided(tallied(cases), printed, "changes: " + "; ".join(told))


def _than_training(groups: dict[str, list[Repaired]]) -> Claim:
    cases, told = [], []
    for network, some in groups.items():
        for attack in ("deepfool", "jsma"):
            told.append(f"{network}, {attack}, {ADVERSARIAL}: {_told(some, ADVERSARIAL, attack)}")
            for kind in KINDS:
                pairs = [(changed(one, ADVERSARIAL, attack), [changed(one, kind, attack)]) for one in some]
                cases.append(above(lead(pairs, most_possible(some[0].plan, attack)), 0))
                told.append(f"{kind} {_told(some, kind, attack)}")
    return _THAN_TRAINING.decided(tallied(cases), "in all cases (Fig. 5)", "changes: " + "; ".join(told))


def _best(groups: dict[str, list[Repaired]]) -> Claim:
    cases, told = [], []
    for network, some in groups.items():
        for name in ("class_tour", "PGD", *KINDS):
            after = [one.repairs[name].figures["near robust"].after.mean for one in some if name in one.repairs]
            counts = ", ".join(str(one.repairs[name].findings) for one in some if name in one.repairs)
            told.append(f"{network}, {name}: {100 * float(np.mean(after)):.0f} % ({counts} findings)" if after else "")
        for other in ("PGD", *KINDS):
            pairs = [
                (mine.figures["near robust"].after, [theirs.figures["near robust"].after])
                for one in some
                if (mine := one.repairs.get("class_tour")) and (theirs := one.repairs.get(other))
                # A repair by fewer findings is not worse for that.
                if theirs.findings == mine.findings
            ]
            cases.append(above(lead(pairs, 1), 0))
    return _BEST.decided(tallied(cases), "-", "robust after repair: " + "; ".join(text for text in told if text))


def _signed(one: Interval | None, sign: int) -> Interval | None:
    return one if one is None or sign > 0 else Interval(-one.mean, -one.high, -one.low)


def _told(some: Sequence[Repaired], repair: str, figure: str) -> str:
    found = change(some, repair, figure)
    if found is None:
        return "too few inputs to tell" if too_few(some[0].plan, figure) else "-"
    return f"{found.mean:+.3f} ({found.low:+.3f} to {found.high:+.3f})"
