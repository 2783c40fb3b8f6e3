"""What the DeepSensor papers claim of faulty training, beside what the experiments found."""

from collections.abc import Iterator, Sequence

import numpy as np

from unnerve.papers._rules import Rule, above, tallied
from unnerve.papers.deepsensor_faults import repair_claims, setting_claims
from unnerve.papers.deepsensor_faults.comparisons import RIVALS, ahead, apart, lead
from unnerve.papers.deepsensor_faults.experiments.hunted import Hunted
from unnerve.papers.deepsensor_faults.experiments.swept import KINDS
from unnerve.papers.deepsensor_faults.parts import Results
from unnerve.papers.deepsensor_faults.tables import alike, share
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "claims_of"]

_CASES = "a case is a kind of neurons, a network, a way of training and a region"
_POLLUTED = Rule(
    "DeepSensor finds about five times as many errors of polluted data as its rivals",
    "triggers almost 5 times errors more than baselines among all datasets and models",
    "excitable neurons, 6.1.2, Table 4; sensitive neurons, IV-B, Table III",
    f"{_CASES}: it supports the claim if the interval over networks and seeds of DeepSensor's share of seeds less four "
    "times the rivals' mean share lies above 0; held if all cases do, partly if more than half",
)
_INCOMPLETE = Rule(
    "DeepSensor finds 1.2 times as many errors in incompletely trained networks as its rivals",
    "finding more test errors due to faulty training: on polluted data (~ x5 on average) and incompletely-trained "
    "models (~ x1.2 on average)",
    "excitable neurons, 6.1.2, Table 5; sensitive neurons, IV-B, Table IV (there x1.3)",
    f"{_CASES}: it supports the claim if the interval over networks and seeds of DeepSensor's share of seeds less 1.1 "
    "times the rivals' mean share lies above 0; held if all cases do, partly if more than half",
)
_EVERY_RIVAL = Rule(
    "DeepSensor finds more errors than each rival in incompletely trained networks",
    "DeepSensor finds more test errors, superior to all three baselines on all models, regardless of overfitting or "
    "underfitting ones",
    "excitable neurons, 6.1.2, Table 5",
    f"{_CASES} and a rival: it supports the claim if the interval over networks and seeds of the difference lies above "
    "0; held if all cases do, partly if more than half",
)
_MORE = Rule(
    "DeepSensor finds more errors in badly trained networks than in sound ones",
    "hunt more errors for incompletely-trained models than for well-trained models",
    "excitable neurons, 6.1.2, Table 5; sensitive neurons, IV-B, Table IV",
    "a case is a kind of neurons, a network and a way of training: it supports the claim if the interval over networks "
    "and seeds of the share of seeds less that of sound networks lies above 0; held if all cases do, partly if more "
    "than half",
)
RULES = (_POLLUTED, _INCOMPLETE, _EVERY_RIVAL, _MORE, *setting_claims.RULES, *repair_claims.RULES)


def claims_of(results: Results) -> list[Claim]:
    """Return every claim on which an experiment has something to say."""
    return [claim for claim in _claims(results) if claim is not None]


def _claims(results: Results) -> Iterator[Claim | None]:
    polluted = [one for one in results.hunted if one.plan.polluted_class is not None]
    incomplete = [one for one in results.hunted if one.plan.kind in ("underfitted", "overfitted")]
    sound = [one for one in results.hunted if one.plan.kind == "sound"]
    yield _times(_POLLUTED, polluted, 4, "757, 723, 784 of 1,000 against 72 to 204 (LeNet-5)")
    yield _times(_INCOMPLETE, incomplete, 1.1, "981 and 979 of 1,000 against 814 to 898 (LeNet-5)")
    yield _each(incomplete)
    yield _worse(incomplete, sound)
    yield from setting_claims.claims_of(results)
    yield from repair_claims.claims_of(results.repaired)


def _times(rule: Rule, results: Sequence[Hunted], factor: float, printed: str) -> Claim | None:
    """Compare DeepSensor with the mean of its rivals."""
    if not results:
        return None
    cases, told = [], []
    for name, some in alike(results).items():
        cases += [above(lead(some, kind, factor), 0) for kind in KINDS]
        rivals = np.mean([share(some, rival).mean for rival in RIVALS])
        own = " and ".join(f"{100 * share(some, kind).mean:.0f}" for kind in KINDS)
        told.append(f"{', '.join(name)}: {own} % (sensitive and excitable) against {100 * rivals:.0f} %")
    return rule.decided(tallied(cases), printed, "; ".join(told))


def _each(results: Sequence[Hunted]) -> Claim | None:
    if not results:
        return None
    cases, lost = [], []
    for name, some in alike(results).items():
        for kind in KINDS:
            for rival in RIVALS:
                more = ahead(some, kind, rival)
                cases.append(above(more, 0))
                if more is not None and cases[-1] is not True:
                    ends = f"{100 * more.low:+.0f} to {100 * more.high:+.0f}"
                    lost.append(f"{kind} and {rival}, {', '.join(name)}: {100 * more.mean:+.0f} points ({ends})")
    sure = sum(case is True for case in cases)
    return _EVERY_RIVAL.decided(
        tallied(cases),
        "in all rows",
        f"more in {sure} of {len(cases)} cases; not so: {'; '.join(lost) if lost else 'none'}",
    )


def _worse(results: Sequence[Hunted], sound: Sequence[Hunted]) -> Claim | None:
    if not results or not sound:
        return None
    known, cases, told = alike(sound), [], []
    for (network, fault, region), some in alike(results).items():
        usual = known.get((network, "sound", region), [])
        for kind in KINDS:
            worse = apart(some, usual, kind)
            cases.append(above(worse, 0))
            if worse is not None:
                ends = f"{100 * worse.low:+.0f} to {100 * worse.high:+.0f}"
                told.append(f"{network}, {fault}, {kind}: {100 * worse.mean:+.0f} points ({ends})")
    return _MORE.decided(tallied(cases), "981 and 979 against 937 (LeNet-5)", "; ".join(told))
