"""What the papers' own words and letters mean, one line each."""

import re

from unnerve.reports.parts.glossary import Term
from unnerve.studies.reproduction import Reproduction

__all__ = ["reproduction_glossary"]

_TERMS = (
    Term("pd", "PD", "Probability difference: how far the sorted class probabilities lie apart. Small: suspect."),
    Term("pv", "PV", "Spread of the class probabilities around their mean. Small: suspect."),
    Term("pe", "PE", "Entropy of the class probabilities; under dropout, of their mean over the draws. 0 is sure."),
    Term("eff", "Eff", "Of the perturbed copies of an input, the share that changes the answer."),
    Term("eff-d", "Eff-D", "How steeply Eff falls along an order: the absolute slope of its logarithm."),
    Term("f-measure", "F-measure", "Perturbed copies made along an order, up to and including the first that fails."),
    Term("inc", "Inc", "Share of the tries to the first failure that a ranking saves against random order."),
    Term("apfd", "APFD", "How early an order finds what fails: 0.5 is chance, and larger is better."),
    Term("aic", "AIC", "Akaike's information criterion: misfit plus a charge for every parameter. Small: better."),
    Term("pcs", "PCS", "Confidence: the largest class probability minus the second largest."),
    Term("vro", "VRO", "Uncertainty: share of the dropout draws that differ from the answer without dropout."),
    Term("vr", "VR", "Share of the dropout draws that differ from the draws' own majority."),
    Term("mi", "MI", "Mutual information: what the dropout draws disagree about, in nats."),
    Term("hl", "HL", "High confidence and low uncertainty, as benign inputs mostly have; LL, LH and HH likewise."),
    Term("auc", "AUC", "How well a figure tells attacked from benign inputs: 0.5 is chance, 1 is without a mistake."),
    Term("asr", "ASR", "Attack success rate: share of the inputs that an attack breaks."),
    Term("clever", "CLEVER", "Estimated distance within which the answer to an input does not change."),
    Term("pso", "PSO", "Particle swarm optimisation: candidates that follow the best of them."),
)


def reproduction_glossary(result: Reproduction) -> tuple[Term, ...]:
    """Return the meaning of the words that the page of this paper uses."""
    claims = [f"{one.claim} {one.paper} {one.ours} {one.rule} {one.quote}" for one in result.claims]
    tables = [" ".join((one.title, *one.columns, *(cell for row in one.rows for cell in row))) for one in result.tables]
    text = " ".join([*claims, *tables])
    return tuple(term for term in _TERMS if re.search(rf"(?<![\w-]){re.escape(term.word)}(?![\w-])", text))
