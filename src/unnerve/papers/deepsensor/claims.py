"""What the DeepSensor papers claim of adversarial inputs, beside what the experiments found."""

from collections.abc import Iterator, Sequence

import numpy as np

from unnerve.papers._rules import BEYOND, Rule, above, lead_text, tallied
from unnerve.papers.deepsensor import guidance_claims, rival_claims, setting_claims
from unnerve.papers.deepsensor.experiments.coverage import Coverage
from unnerve.papers.deepsensor.experiments.errors import Errors
from unnerve.papers.deepsensor.experiments.fitness import Fitness
from unnerve.papers.deepsensor.experiments.observation import NOISES, Observation
from unnerve.papers.deepsensor.experiments.overlap import Overlap
from unnerve.papers.deepsensor.experiments.regions import RADII, Regions
from unnerve.papers.deepsensor.parts import Results
from unnerve.papers.deepsensor.setting_claims import EPSILON, LAMBDA, optimiser_claim, rise_claim, start_claim
from unnerve.papers.deepsensor.tables import by_network
from unnerve.studies.intervals.count_difference import count_difference
from unnerve.studies.intervals.count_mean import BoundedCounts
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.nested import nested
from unnerve.studies.reproduction import Claim

__all__ = ["RULES", "claims_of"]

_EQUAL = 0.1
"""Categories per seed by which methods may differ that are called equal."""
_OURS = ("sensitive neurons", "excitable neurons")
_OBSERVED = {
    reacting: Rule(
        f"A corner case activates many more {reacting} neurons than a benign input of the same class",
        f"the number of {reacting} neurons that are activated by the corner case example B is much more than that of "
        "the benign example A",
        "1, Fig. 1",
        "held if the interval over pairs of the difference lies above 0 for noise of equal linf norm, of signs, and of "
        "equal L2 norm, partly if for more than half of them",
    )
    for reacting in ("sensitive", "excitable")
}
_MORE = (
    "held if the interval over networks and seeds of the difference lies above 0 with either kind on every network, "
)
_THAN_NOISE = Rule(
    "DeepSensor finds more categories of errors than noise",
    "",
    BEYOND,
    _MORE + "partly if on more than half",
)
_THAN_PGD = Rule(
    "DeepSensor finds more categories of errors than an attack (PGD)",
    "",
    BEYOND,
    _MORE + "partly if on more than half",
)
_IDENTICAL = Rule(
    "Sensitive and excitable neurons find equally many categories, as the papers' identical tables say",
    "",
    BEYOND,
    "a network supports it if the interval over networks and seeds of the difference lies within 0.1 categories per "
    "seed, contradicts it if the interval lies above or below 0, and is open else; held if all support it, partly if "
    "more than half",
)
_SETTLES = Rule(
    "The share of reacting neurons stays the same after ten iterations",
    "the value of the fitness function remains stable after 10th iteration",
    "4.2, Fig. 3",
    "held if it has 95 % of its last value by then in every curve, partly if in more than half; one training seed",
)
_COVERS = Rule(
    "Its test inputs add more coverage than random noise with an L2 change of at most 1",
    "The improvement by DeepSensor exceeds that of baselines in most cases, up to 2 times on average",
    "sensitive neurons, IV-C, Fig. 3",
    "held if more by more than half of the criteria over all networks and kinds of neurons, partly if by more than a "
    "quarter; a criterion is open if the interval over ten batches of seeds of the difference holds 0; one training "
    "seed",
)
_OVERLAPS = Rule(
    "DeepSensor's most excitable neurons include almost all of those of the attacks",
    "excitable neurons activated by DeepSensor can cover almost all those activated by three adversarial attacks",
    "excitable neurons, 6.3.1, Fig. 7",
    "held if more than eight of ten are shared with every attack, partly if with more than half of them; open if the "
    "interval over seeds holds eight; one training seed",
)
_PRINTED = Rule(
    "A region explains both printed figures of LeNet-5: 92 % of the picks fail, in 2.9 categories per seed",
    "",
    BEYOND,
    "held if at some radius, for either kind of neurons, the intervals over seeds hold both, counting picks or all "
    "particles; not held if none does",
)
RULES = (
    *_OBSERVED.values(),
    _THAN_NOISE,
    _THAN_PGD,
    _IDENTICAL,
    _PRINTED,
    _SETTLES,
    _COVERS,
    *setting_claims.RULES,
    _OVERLAPS,
    *rival_claims.RULES,
    *guidance_claims.RULES,
)


def claims_of(results: Results) -> list[Claim]:
    """Return every claim of both papers on which an experiment has something to say."""
    return [claim for claim in _claims(results) if claim is not None]


def _claims(results: Results) -> Iterator[Claim | None]:
    for reacting in ("sensitive", "excitable"):
        yield _observation(results.observation, reacting)
    yield _more_errors(results.errors, "random noise", _THAN_NOISE)
    yield _more_errors(results.errors, "PGD", _THAN_PGD)
    yield _identical(results.errors)
    yield _printed(results.regions)
    yield _settles(results.fitness)
    yield _covers(results.coverage)
    # Run on one network only.
    for sweeps in results.sweeps[:1]:
        yield rise_claim(LAMBDA, "rises until 0.6, then stable", sweeps.threshold)
        yield rise_claim(EPSILON, "rises", sweeps.enough)
        yield start_claim(sweeps.start)
    for optimisers in results.optimisers[:1]:
        yield optimiser_claim(optimisers)
    yield _overlap(results.overlap)
    yield from rival_claims.rival_claims(results.rivals, results.rival_inputs, results.times)
    for one in results.guidance[:1]:
        yield from guidance_claims.guidance_claims(one)


def _observation(results: Sequence[Observation], reacting: str) -> Claim | None:
    if not results:
        return None
    one = results[0]
    counts = np.array(one.counts[reacting], dtype=float)
    noise = ", ".join(
        f"{name} {counts[:, place].mean():.1f} (L2 {one.lengths[place]:.1f})" for place, name in enumerate(NOISES)
    )
    gaps = [one.gap(reacting, noise) for noise in NOISES]
    apart = counts[:, -1] - counts[:, : len(NOISES)].mean(axis=0).max()
    known = [gap for gap in gaps if gap is not None]
    least = min(known, key=lambda gap: gap.mean) if known else None
    return _OBSERVED[reacting].decided(
        tallied(above(gap, 0) for gap in gaps),
        "much more (Fig. 1)",
        f"{counts[:, -1].mean():.1f} (L2 {one.lengths[-1]:.1f}) against noise of {noise}; {one.pairs} nines; the "
        f"least difference {apart.mean():.1f}",
        None if least is None else least.ci95,
    )


def _ahead(results: Sequence[Errors], first: str, second: str) -> Interval | None:
    """Return how many more categories per seed one method finds, over networks and seeds."""
    pairs = [[BoundedCounts(np.array(one.rows[name].kinds), 9) for name in (first, second)] for one in results]
    return nested([count_difference(own, other) for own, other in pairs], -9, 9)


def _more_errors(results: Sequence[Errors], than: str, rule: Rule) -> Claim | None:
    if not results:
        return None
    outcomes, told = [], []
    for method in _OURS:
        leads = {network: _ahead(some, method, than) for network, some in by_network(results).items()}
        outcomes += [above(lead, 0) for lead in leads.values()]
        told.append(f"{method}: " + ", ".join(lead_text(network, lead) for network, lead in leads.items()))
    return rule.decided(
        tallied(outcomes),
        "2.9 categories per seed on LeNet-5 (rival fuzzers 1.5 to 2.5)",
        f"categories per seed more than {than}: {'; '.join(told)}",
    )


def _identical(results: Sequence[Errors]) -> Claim | None:
    """Compare the two papers, whose tables are identical."""
    if not results:
        return None
    leads = {
        network: _ahead(some, "excitable neurons", "sensitive neurons") for network, some in by_network(results).items()
    }
    return _IDENTICAL.decided(
        tallied(map(_equal, leads.values())),
        "identical tables in both papers",
        "categories per seed more by excitable neurons: "
        + ", ".join(lead_text(network, lead) for network, lead in leads.items()),
    )


def _equal(lead: Interval | None) -> bool | None:
    # That an interval holds 0 does not make two methods equal: the wider it is, the more it holds.
    if lead is not None and lead.low > -_EQUAL and lead.high < _EQUAL:
        return True
    return None if above(lead, 0) is None else False


def _printed(results: Sequence[Regions]) -> Claim | None:
    if not results:
        return None
    one, fits, told = results[0], False, []
    for method in ("sensitive", "excitable"):
        for radius in RADII:
            row = one.rows[f"{method}, {radius:g}"]
            for prefix, tried in (("", one.plan.setup.iterations), ("all_", row.tried)):
                failing = row.per_seed(f"{prefix}failing", tried)
                kinds = row.per_seed(f"{prefix}categories", 9)
                fits |= failing.low <= 0.917 * tried <= failing.high and kinds.low <= 2.906 <= kinds.high
                if radius in (0.4, 1.0):
                    what = "all particles" if prefix else "picks"
                    told.append(
                        f"{method} at {radius:g}, {what}: {failing.mean / tried:.0%} fail, {kinds.mean:.1f} categories"
                    )
    noise = one.rows[f"random noise, {RADII[-1]:g}"].per_seed("all_categories", 9)
    return _PRINTED.decided(
        "held" if fits else "not held",
        "92 % and 2.9",
        f"{'; '.join(told)}; noise at 1: {noise.mean:.1f} categories ({noise.low:.1f} to {noise.high:.1f})",
    )


def _settles(results: Sequence[Fitness]) -> Claim | None:
    if not results:
        return None
    shares = {
        f"{one.plan.setup.network}, {name}": (curve[10] / max(curve[-1], 1e-9), curve[-1])
        for one in results
        for name, curve in one.curves.items()
        if len(curve) > 10
    }
    return _SETTLES.decided(
        tallied(at > 0.95 for at, _ in shares.values()),
        "0 at first, 37 % from the tenth iteration on (VGG16)",
        "; ".join(f"{name}: {at:.0%} of its last value of {end:.1%} by then" for name, (at, end) in shares.items()),
    )


def _covers(results: Sequence[Coverage]) -> Claim | None:
    if not results:
        return None
    told: list[str] = []
    wins: list[bool | None] = []
    for one in results:
        for name in ("sensitive", "excitable"):
            cases = [above(one.lead(name, key), 0) for key in one.seeds]
            wins += cases
            told.append(
                f"{one.plan.setup.network}, {name}: more by {cases.count(True)}, less by {cases.count(False)}, open "
                f"{cases.count(None)} of {len(cases)} criteria"
            )
    return _COVERS.decided(tallied(wins, held=0.5 + 1e-9, partly=0.25), "in most cases, up to twice", "; ".join(told))


def _overlap(results: Sequence[Overlap]) -> Claim | None:
    if not results:
        return None
    one = results[0]
    shared = {name: value for name, value in one.spreads().items() if name != "DeepSensor"}
    return _OVERLAPS.decided(
        tallied(above(value, 8) for value in shared.values()),
        "almost all of ten (Fig. 7)",
        ", ".join(f"{name} {value.mean:.1f} ({value.low:.1f} to {value.high:.1f})" for name, value in shared.items())
        + f" of ten; chance {one.chance:.1f}",
    )
