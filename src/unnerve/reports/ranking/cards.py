"""Figures at a glance, each with what is good and what is bad."""

from unnerve.reports.parts.cards import Card
from unnerve.reports.parts.numbers import count, duration, percent, percent_between, significant
from unnerve.reports.ranking.verdict import lead, noun
from unnerve.studies.intervals import wilson
from unnerve.studies.rank.ranking_proof import RankingProof, ScoreProof

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
    if proof.accuracy is None:
        return Card("unknown", name, "needs data with labels (npz: key y)", "candidates")
    total = len(proof.candidates)
    right = round(proof.accuracy * total)
    interval = percent_between(*wilson(right, total).ci95)
    return Card(
        percent(right / total),
        name,
        f"{count(right)} of {count(total)}; 100 % is best; 95 % interval {interval}",
        "candidates",
    )


def _vulnerable(proof: RankingProof) -> Card:
    total, broken = len(proof.eff), int((proof.eff > 0).sum())
    interval = percent_between(*wilson(broken, total).ci95)
    note = f"{count(broken)} of {count(total)} changed class at least once; 0 is best; 95 % interval {interval}"
    return Card(percent(broken / total), f"vulnerable {noun(proof)} (Eff > 0)", note, "eff")


def _mean_eff(proof: RankingProof) -> Card:
    return Card(
        percent(float(proof.eff.mean())), "mean Eff", "share of all tries that changed the answer; 0 is best", "eff"
    )


def _f_measure(proof: RankingProof) -> Card:
    name = "tries to the first error (F-measure): best score, random order"
    best = min(proof.scores.values(), key=lambda one: one.f_measure.mean)
    if all(run.censored for run in best.runs):
        return Card("none found", name, f"no order met an error in {count(proof.trial.repeats, 'runs')}", "f-measure")
    figure = f"{significant(best.f_measure.mean)} : {significant(proof.f_measure_random.mean)}"
    looked = f", best of {len(proof.scores)}" if len(proof.scores) > 1 else ""
    return Card(figure, name, f"{best.score}{looked}; a good order needs fewer than random", "f-measure")


def _apfd(proof: RankingProof) -> Card:
    one = lead(proof)
    share = float((proof.eff > 0).mean())
    if share == 0:
        return Card("-", "APFD", f"needs at least one of the {noun(proof)} with Eff > 0", "apfd")
    return Card(significant(one.apfd), f"APFD of {one.score}", _apfd_note(one, share), "apfd")


def _apfd_note(one: ScoreProof, share: float) -> str:
    found = "better than chance" if one.apfd > 0.5 else "no better than chance"
    return f"{found}; 0.5 = chance, {significant(1 - share / 2)} = best possible here"


def _runner_up(proof: RankingProof) -> Card:
    name = "of the errors fall to the runner-up class"
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
