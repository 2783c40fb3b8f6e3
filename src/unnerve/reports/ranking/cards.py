"""Figures at a glance, each with what is good and what is bad."""

from unnerve.reports.parts.cards import Card, accuracy_card
from unnerve.reports.parts.numbers import between, count, duration, percent, percent_between, significant
from unnerve.reports.ranking.verdict import bound_words, lead, noun
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["cards"]


def cards(proof: RankingProof) -> tuple[Card, ...]:
    """Return the report's cards."""
    return (
        _accuracy(proof),
        _vulnerable(proof),
        _mean_eff(proof),
        _f_measure(proof),
        _apfd(proof),
        _runner_up(proof),
        _time(proof),
    )


def _accuracy(proof: RankingProof) -> Card:
    name = f"accuracy on the {noun(proof)} as they are"
    return accuracy_card(proof.accuracy, name, "candidates")


def _vulnerable(proof: RankingProof) -> Card:
    total, broken = len(proof.eff), int((proof.eff > 0).sum())
    interval = percent_between(*proportion(broken, total).ci95)
    note = f"{count(broken)} of {count(total)} changed class at least once; 0 is best; 95 % interval {interval}"
    return Card(percent(broken / total), f"of the {noun(proof)} break (Eff > 0)", note, "eff")


def _mean_eff(proof: RankingProof) -> Card:
    return Card(percent(float(proof.eff.mean())), "of all tries changed the answer (mean Eff)", "0 is best", "eff")


def _f_measure(proof: RankingProof) -> Card:
    # The score asked for first, as in the headline: the best of several would be another number for the same thing.
    one = lead(proof)
    name = f"tries to first failure, by {one.score}"
    if all(run.censored for run in one.runs):
        return Card("none found", name, f"no order met an error in {count(proof.trial.repeats, 'runs')}", "f-measure")
    random = bound_words(proof.random) + significant(proof.f_measure_random.mean)
    figure = bound_words(one.runs) + significant(one.f_measure.mean)
    return Card(figure, name, f"{random} in random order; fewer is better for the order", "f-measure")


def _apfd(proof: RankingProof) -> Card:
    one = lead(proof)
    if one.apfd is None:
        name = "how early they are found (APFD)"
        return Card("-", name, f"needs at least one of the {noun(proof)} with Eff > 0", "apfd")
    found = "better than chance" if one.apfd.low > 0.5 else "not clearly better than chance"
    # With every vulnerable input in front, APFD is one minus half of their share: 1 cannot be reached.
    best = significant(1 - float((proof.eff > 0).mean()) / 2)
    note = f"{found}; 95 % interval {between(*one.apfd.ci95)}; 0.5 = chance, {best} = best possible here"
    return Card(significant(one.apfd.mean), f"how early {one.score} finds those that break (APFD)", note, "apfd")


def _runner_up(proof: RankingProof) -> Card:
    name = "of the errors fall to the runner-up class"
    # Not a number where no try succeeded, and that differs from itself.
    if proof.runner_up_share != proof.runner_up_share:
        return Card("-", name, "needs at least one error", "runner-up")
    classes = len(proof.candidates.classes)
    chance = f"; by chance {percent(1 / (classes - 1))}" if classes > 2 else ""
    return Card(
        percent(proof.runner_up_share), name, f"high: the second guess tells where it breaks{chance}", "runner-up"
    )


def _time(proof: RankingProof) -> Card:
    made = count(len(proof.candidates) * proof.trial.tries)
    return Card(duration(proof.seconds), "for the whole proof", f"{made} tries for Eff, and the runs", "time")
