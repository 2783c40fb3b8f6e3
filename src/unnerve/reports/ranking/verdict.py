"""The sentence that a manager understands, and what stands behind it."""

from unnerve.measure.curves.f_measure import FMeasure
from unnerve.reports.parts.cards import accuracy_warnings
from unnerve.reports.parts.commands import repeating_command
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, percent_between, significant, tries
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.thumbnails import input_noun
from unnerve.studies.rank.ranking_proof import RankingProof, ScoreProof

__all__ = ["bound_words", "caveats", "lead", "nothing_found", "noun", "stronger_command", "verdict"]


def lead(proof: RankingProof) -> ScoreProof:
    """Return the proof of the score asked for first: the headline is not the best of several looked at afterwards."""
    return next(iter(proof.scores.values()))


def noun(proof: RankingProof) -> str:
    """Return what the inputs are."""
    return input_noun(proof.candidates.shape)


def nothing_found(proof: RankingProof) -> bool:
    """Return whether no try on any candidate succeeded, in the measurement of Eff or in any run."""
    return not (proof.eff > 0).any() and all(run.censored for run in (*lead(proof).runs, *proof.random))


def verdict(proof: RankingProof) -> tuple[Phrase, ...]:
    """Return the first sentence of the report: what the order of the first score is worth, without adjectives."""
    model, one = Phrase(display_name(proof.model, 60), "name"), lead(proof)
    if all(run.censored for run in (*one.runs, *proof.random)):
        return _no_error(proof, model)
    opening = (Phrase(f"Trying the most suspect {noun(proof)} first (by "), Phrase(one.score, "name"), Phrase(")"))
    ranked = Phrase(bound_words(one.runs) + tries(one.f_measure.mean), "figure")
    random = Phrase(bound_words(proof.random) + significant(proof.f_measure_random.mean), "figure")
    change = Phrase(_change(one.inc.mean), "figure")
    if proof.trial.repeats > 1 and one.inc.low <= 0 <= one.inc.high:
        middle = (Phrase(" made no clear difference: "), model, Phrase(" was fooled after "), ranked)
        return (*opening, *middle, Phrase(" on average, against "), random, Phrase(" in random order."))
    average = " instead of " if proof.trial.repeats == 1 else " on average instead of "
    middle = (Phrase(", "), model, Phrase(" was fooled after "), ranked)
    return (*opening, *middle, Phrase(average), random, Phrase(": "), change, Phrase("."))


def _no_error(proof: RankingProof, model: Phrase) -> tuple[Phrase, ...]:
    total, end = len(proof.candidates), Phrase(": there is nothing to compare orders by.")
    if nothing_found(proof):
        made = Phrase(count(total * proof.trial.tries), "figure")
        what = f" perturbed copies of {count(total, noun(proof))} changed the answer of "
        return (Phrase("None of "), made, Phrase(what), model, end)
    broken = Phrase(f"{count(int((proof.eff > 0).sum()))} of {count(total, noun(proof))}", "figure")
    runs = f" could be fooled when Eff was measured, but in {count(proof.trial.repeats, 'runs')} no order met an error"
    return (model, Phrase(runs), Phrase(" (vulnerable: "), broken, Phrase(")"), end)


def caveats(proof: RankingProof) -> tuple[str, ...]:
    """Return how sure the verdict is: whether answers make sense, its interval, and what weakens it."""
    return (*accuracy_warnings(proof.accuracy, proof.model), *_caveats(proof))


def _caveats(proof: RankingProof) -> tuple[str, ...]:
    if nothing_found(proof):
        return ("More tries or a stronger change may find one; that none was found does not prove that none exists.",)
    one, repeats = lead(proof), proof.trial.repeats
    if all(run.censored for run in one.runs):
        return (
            f"Each run made {count(one.runs[0].generations, 'tries')}; more tries or a stronger change may find one.",
        )
    if repeats == 1:
        said = ["A single run: it has no interval and proves little; more repeats give one (--repeats 30)."]
    else:
        interval = percent_between(one.inc.low, one.inc.high)
        said = [f"95 % interval of the tries saved: {interval} (over {repeats} repeats)."]
    censored = sum(run.censored for run in one.runs)
    if censored:
        most = max(run.generations for run in one.runs)
        said.append(f"{censored} of {count(repeats, 'runs')} found no error and count as {count(most, 'tries')}.")
    if len(proof.scores) > 1:
        said.append(_asked_first(proof))
    return tuple(said)


def bound_words(runs: tuple[FMeasure, ...]) -> str:
    """Return what stands before a mean of runs of which some met no error."""
    return "at least " if any(run.censored for run in runs) else ""


def stronger_command(proof: RankingProof) -> str:
    """Return the command of a proof that is likelier to find something; empty if no command can."""
    trial = proof.trial
    change = {"perturbation": "patch:size=4"} if trial.perturbation == "patch" else {}
    return repeating_command(proof.provenance, tries=str(10 * trial.tries), **change)


def _change(saved: float) -> str:
    change = f"{percent(saved)} fewer" if saved >= 0 else f"{percent(-saved)} more"
    return change.replace("> ", "over ")


def _asked_first(proof: RankingProof) -> str:
    first, best = lead(proof), min(proof.scores.values(), key=lambda one: one.f_measure.mean)
    if first.f_measure.mean == best.f_measure.mean:
        return f"{first.score} was asked for first; none of the {len(proof.scores)} scores needed fewer tries."
    return f"{first.score} was asked for first; of the {len(proof.scores)} scores {best.score} needed the fewest tries."
