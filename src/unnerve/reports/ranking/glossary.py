"""What the words of a ranking report mean, one line each."""

from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import printable
from unnerve.reports.parts.numbers import count
from unnerve.reports.ranking.method_words import perturbation_words
from unnerve.reports.ranking.verdict import noun
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["ranking_glossary", "ranking_steps"]


def ranking_glossary(proof: RankingProof) -> tuple[Term, ...]:
    """Return the meaning of every figure on the page."""
    what, tries = noun(proof), proof.trial.tries
    return (
        Term(
            "candidates",
            "Candidates",
            f"The {what} that are ranked and tried, drawn at random from the data; accuracy is theirs, unchanged.",
        ),
        Term(
            "eff",
            "Eff",
            f"Of the {tries:,} perturbed copies of an input, the share that changes the predicted class. "
            "0: no try succeeded; 1: all did. Vulnerable means Eff > 0.",
        ),
        *_ORDER_WORDS,
    )


_ORDER_WORDS = (
    Term(
        "score",
        "Score",
        "One number per input, made from its class probabilities alone; higher is more suspect.",
    ),
    Term(
        "f-measure",
        "Tries to first failure",
        "Perturbed copies made along an order, up to and including the first that fails: the F-measure of the papers. "
        "A run without any counts all copies made, so the true value is larger.",
    ),
    Term(
        "inc",
        "Inc",
        "(R - A) / R for the tries to the first failure, R in random order and A by the ranking: the share saved. "
        "0: no difference; negative: the order does harm.",
    ),
    Term(
        "apfd",
        "APFD",
        "Area under the curve of vulnerable inputs found over inputs tried. Random order gets 0.5 on average.",
    ),
    Term(
        "fit",
        "Fit, Eff-D",
        "Eff = a exp(-b x) by least squares on ln Eff, leaving out where Eff = 0; x is the normalised rank or the "
        "scaled metric, r the correlation of data and curve. Eff-D marks the scores by |b|: the steeper, the better.",
    ),
    Term(
        "runner-up",
        "Runner-up",
        "The second most probable class of the unchanged input. If most errors fall to it, the probabilities "
        "tell which boundary is near.",
    ),
    Term("time", "Time", "Wall clock of the whole proof, from reading the data to the last interval."),
)


def ranking_steps(proof: RankingProof) -> tuple[str, ...]:
    """Return the trial in words."""
    trial, data = proof.trial, printable(proof.data)
    return (
        f"Candidates: {count(len(proof.candidates), noun(proof))}, drawn from {data} with seed {trial.seed}. Every "
        "score ordered them, the most suspect first, after one forward pass of each.",
        f"Eff: every candidate was tried {trial.tries:,} times. A try is {perturbation_words(trial)}. "
        "It succeeds if the predicted class changes.",
        f"Tries to the first failure, {count(trial.repeats, 'repeats')} with fresh perturbations: every order was "
        f"walked, {trial.tries:,} tries per input, up to the first success. In one repeat all orders met the same "
        "ones.",
        "Random order was walked in the same way; \u201crandom, Eff > 0\u201d leaves out the inputs that no try "
        "changed, as the papers do.",
        "Intervals are 95 %: over the repeats, on a logarithmic scale, for tries to the first failure and Inc; over "
        "the inputs for APFD, shares (exact) and means of a stretch; hypergeometric for random orders.",
    )
