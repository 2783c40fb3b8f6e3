"""What the DeepSensor papers claim of adversarial inputs, beside what the experiments found."""

from collections.abc import Iterator, Sequence

from unnerve.papers._rules import BEYOND, Rule, above, tallied
from unnerve.papers.deepsensor.experiments.coverage import Coverage
from unnerve.papers.deepsensor.experiments.errors import Errors
from unnerve.papers.deepsensor.experiments.fitness import Fitness
from unnerve.papers.deepsensor.experiments.observation import Observation
from unnerve.papers.deepsensor.experiments.overlap import Overlap
from unnerve.papers.deepsensor.parts import Results
from unnerve.papers.deepsensor.setting_claims import EPSILON, LAMBDA, optimiser_claim, rise_claim, start_claim
from unnerve.studies.intervals.student import student
from unnerve.studies.reproduction import Claim

__all__ = ["claims_of"]

_OURS = ("sensitive neurons", "excitable neurons")


def claims_of(results: Results) -> list[Claim]:
    """Return every claim of both papers on which an experiment has something to say."""
    return [claim for claim in _claims(results) if claim is not None]


def _claims(results: Results) -> Iterator[Claim | None]:
    for reacting in ("sensitive", "excitable"):
        yield _observation(results.observation, reacting)
    yield _more_errors(results.errors, "random noise", "DeepSensor finds more errors and categories than noise")
    yield _more_errors(results.errors, "PGD", "DeepSensor finds more categories of errors than an attack (PGD)")
    yield _identical(results.errors)
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


def _observation(results: Sequence[Observation], reacting: str) -> Claim | None:
    if not results:
        return None
    pairs = results[0].counts[reacting]
    noisy, corner = (student([pair[place] for pair in pairs]) for place in (0, 1))
    more = sum(second > first for first, second in pairs) / len(pairs)
    apart = student([second - first for first, second in pairs])
    rule = Rule(
        f"A corner case activates many more {reacting} neurons than a benign input of the same class",
        f"the number of {reacting} neurons that are activated by the corner case example B is much more than that of "
        "the benign example A",
        "1, Fig. 1",
        "held if the interval over pairs of the difference lies above 0",
    )
    return rule.decided(
        tallied([above(apart, 0)]),
        "much more (Fig. 1)",
        # Noise of equal linf norm is the smaller in L2: part of the gap is its size.
        f"{corner.mean:.1f} against {noisy.mean:.1f} with noise of the same linf norm; more in {more:.0%} of "
        f"{len(pairs)} pairs",
        apart.ci95,
    )


def _more_errors(results: Sequence[Errors], than: str, claim: str) -> Claim | None:
    if not results:
        return None
    told, gains = [], []
    for method in _OURS:
        kinds = [(one.rows[method].error_categories, one.rows[than].error_categories) for one in results]
        gains += [ours - theirs for ours, theirs in kinds]
        told.append(f"{method}: more in {sum(a > b for a, b in kinds)} of {len(kinds)} networks")
    # The papers compare with fuzzers only.
    rule = Rule(claim, "", BEYOND, "held if more with either kind on every network, partly if on more than half")
    return rule.decided(
        tallied(gain > 0 for gain in gains), "2.9 kinds per seed on LeNet-5 (rival fuzzers 1.5 to 2.5)", "; ".join(told)
    )


def _identical(results: Sequence[Errors]) -> Claim | None:
    """Compare the two papers, whose tables are identical."""
    if not results:
        return None
    pairs = [tuple(one.rows[method].error_categories for method in _OURS) for one in results]
    rule = Rule(
        "Sensitive and excitable neurons find equally many errors and categories",
        "",
        BEYOND,
        "held if equally many categories on every network, partly if on more than half",
    )
    return rule.decided(
        tallied(a == b for a, b in pairs),
        "identical tables in both papers",
        f"excitable neurons find more categories in {sum(b > a for a, b in pairs)} of {len(pairs)} networks, sensitive "
        f"ones in {sum(a > b for a, b in pairs)}",
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
    rule = Rule(
        "The share of reacting neurons stays the same after ten iterations",
        "the value of the fitness function remains stable after 10th iteration",
        "4.2, Fig. 3",
        "held if it has 95 % of its last value by then in every curve, partly if in more than half; one training seed",
    )
    return rule.decided(
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
            more = [one.gains[name][key] > one.gains["random noise"][key] for key in one.seeds]
            # A tie is neither a win nor a loss.
            ties = [one.gains[name][key] == one.gains["random noise"][key] for key in one.seeds]
            wins += [None if tie else win for win, tie in zip(more, ties, strict=True)]
            told.append(f"{one.plan.setup.network}, {name}: more by {sum(more)} of {len(more)} criteria")
    rule = Rule(
        "Its test inputs add more coverage than random noise with an L2 change of at most 1",
        "The improvement by DeepSensor exceeds that of baselines in most cases, up to 2 times on average",
        "sensitive neurons, IV-C, Fig. 3",
        "held if more by more than half of the criteria over all networks, partly if by more than a quarter; a tie is "
        "open; one training seed",
    )
    return rule.decided(tallied(wins, held=0.5 + 1e-9, partly=0.25), "in most cases, up to twice", "; ".join(told))


def _overlap(results: Sequence[Overlap]) -> Claim | None:
    if not results:
        return None
    one = results[0]
    place = one.methods.index("DeepSensor")
    shared = {name: one.shared[place][other] for other, name in enumerate(one.methods) if other != place}
    rule = Rule(
        "DeepSensor's most excitable neurons include almost all of those of the attacks",
        "excitable neurons activated by DeepSensor can cover almost all those activated by three adversarial attacks",
        "excitable neurons, 6.3.1, Fig. 7",
        "held if more than eight of ten are shared with every attack, partly if with more than half of them; one "
        "training seed",
    )
    return rule.decided(
        tallied(count > 8 for count in shared.values()),
        "almost all of ten (Fig. 7)",
        ", ".join(f"{name} {count:.1f}" for name, count in shared.items()) + f" of ten; chance {one.chance:.1f}",
    )
