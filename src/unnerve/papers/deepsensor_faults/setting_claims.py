"""What the DeepSensor papers claim of their settings on faulty networks, and of VGG16's."""

from collections.abc import Iterator, Mapping
from itertools import pairwise

from unnerve.papers._decimals import decimals
from unnerve.papers._rules import Rule, above, tallied
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits
from unnerve.papers.deepsensor_faults.experiments.swept import KINDS, Swept
from unnerve.papers.deepsensor_faults.parts import Results
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "claims_of"]

_RISES = (
    "a case is a network and a kind of neurons: it supports the claim if the share of seeds never falls by more than a "
    "tenth of the seeds from one value to the next, and is open if an interval over seeds of a step holds -0.1, or if "
    "no value breaks a tenth of the seeds; held if all do, partly if more than half; one training seed"
)
_LAMBDA = Rule(
    "On faulty networks too errors rise with lambda and then stay",
    "With the increase of λ, the number of test errors found by DeepSensor gradually increases and then remains "
    "stable after 0.6",
    "excitable neurons, 6.5.1, Fig. 10 (a); polluted and overfitted LeNet-5",
    _RISES,
)
_EPSILON = Rule(
    "On VGG16 too errors rise with epsilon",
    "the number of test errors found by DeepSensor increases with the increase of the percentage of excitable neurons",
    "excitable neurons, 6.5.2, Fig. 10 (b); VGG16",
    _RISES,
)
_START = Rule(
    "On faulty networks too a random start finds more errors than a fixed one",
    "more test errors can be triggered regardless of their reasons",
    "excitable neurons, 6.5.3, Fig. 11; sensitive neurons, IV-F, Fig. 6",
    "a case is a network and a kind of neurons: it supports the claim if the interval over seeds of the difference of "
    "the shares of seeds lies above 0; held if all do, partly if more than half; one training seed",
)
_COVERS = Rule(
    "A random start adds more coverage than a fixed one",
    "Similar trends can also be found on six neuron coverage metrics",
    "sensitive neurons, IV-F, Fig. 6, second row",
    "a case is a criterion and a kind of neurons: it supports the claim if the interval over ten batches of seeds of "
    "the difference lies above 0; held if all do, partly if more than half; one training seed",
)
_OVERLAPS = Rule(
    "On VGG16 too DeepSensor's most excitable neurons include almost all of those of the attacks",
    "almost all those activated by three adversarial attacks",
    "excitable neurons, 6.3.1, Fig. 7; VGG16",
    "held if more than eight of ten are shared with every attack, partly if with more than half of them; open if the "
    "interval over seeds holds eight; one training seed",
)
RULES = (_LAMBDA, _EPSILON, _START, _COVERS, _OVERLAPS)


def claims_of(results: Results) -> Iterator[Claim]:
    """Yield the claims on which an experiment has something to say."""
    for rule, setting, printed in (
        (_LAMBDA, "threshold", "rises until 0.6, then stable"),
        (_EPSILON, "enough", "rises"),
    ):
        swept = [one for one in results.swept if setting in one.rows]
        if swept:
            yield _rises(rule, swept, setting, printed)
    started = [one for one in results.swept if "start" in one.rows]
    if started:
        yield _starts(started)
    if results.started:
        yield _covers(results)
    if results.overlap:
        shared = [(one.plan.setup.network, one.spreads()) for one in results.overlap]
        yield _OVERLAPS.decided(
            tallied(above(value, 8) for _, values in shared for value in values.values()),
            "almost all of ten (Fig. 7)",
            "; ".join(
                f"{network}, {name} {value.mean:.1f} ({value.low:.1f} to {value.high:.1f}) of ten"
                for network, values in shared
                for name, value in values.items()
            ),
        )


def _rises(rule: Rule, results: list[Swept], setting: str, printed: str) -> Claim:
    cases, told = [], []
    for one in results:
        for kind, by_value in one.rows[setting].items():
            steps = [above(_more(later, earlier), -0.1) for earlier, later in pairwise(by_value.values())]
            # Where hardly anything is found, nothing can fall.
            if max(hits.share().mean for hits in by_value.values()) < 0.1:
                steps.append(None)
            cases.append(False if False in steps else None if None in steps else True)
            told.append(f"{one.plan.kind}, {kind}: {_shares(by_value)}")
    return rule.decided(tallied(cases), printed, "share of seeds by value. " + "; ".join(told))


def _starts(results: list[Swept]) -> Claim:
    cases, told = [], []
    for one in results:
        for kind, by_value in one.rows["start"].items():
            cases.append(above(_more(by_value["random"], by_value["fixed"]), 0))
            told.append(f"{one.plan.kind}, {kind}: {_shares(by_value)}")
    return _START.decided(tallied(cases), "on both networks", "share of seeds by start. " + "; ".join(told))


def _covers(results: Results) -> Claim:
    leads = {
        f"{kind}, {name}": one.lead(kind, name)
        for one in results.started
        for kind in KINDS
        for name in _criteria(one.gains)
    }
    cases = [above(lead, 0) for lead in leads.values()]
    return _COVERS.decided(
        tallied(cases),
        "by all six criteria",
        f"more by {cases.count(True)}, less by {cases.count(False)}, open {cases.count(None)} of {len(cases)}; "
        + "; ".join(f"{name} {_told(lead)}" for name, lead in leads.items()),
    )


def _told(lead: Interval | None) -> str:
    if lead is None:
        return "the same in all batches"
    digits = decimals(lead, 4)
    return f"{lead.mean:+.{digits}f} ({lead.low:+.{digits}f} to {lead.high:+.{digits}f})"


def _criteria(gains: Mapping[str, Mapping[str, tuple[float, ...]]]) -> list[str]:
    return list(next(iter(gains.values())))


def _shares(by_value: Mapping[str, Hits]) -> str:
    return ", ".join(f"{value} {100 * hits.share().mean:.0f} %" for value, hits in by_value.items())


def _more(first: Hits, second: Hits) -> Interval:
    return count_difference(BoundedCounts(first.broken, 1), BoundedCounts(second.broken, 1))
