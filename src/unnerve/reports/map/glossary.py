"""How a map was made, and what its words mean, one line each."""

from unnerve.core.patterns import Thresholds
from unnerve.reports.parts.campaigns import class_names
from unnerve.reports.parts.glossary import Term
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count
from unnerve.reports.parts.oracles import oracle_words
from unnerve.reports.parts.regions import region_words
from unnerve.studies.map.result import UncertaintyMap

__all__ = ["map_glossary", "map_steps", "threshold_words"]


def map_steps(found: UncertaintyMap, shape: tuple[int, ...], noun: str) -> tuple[str, ...]:
    """Return in words how the map was made."""
    plan = found.campaign.plan
    data = display_name(plan.data.name, 80)
    where = region_words(plan.region, shape)
    error = oracle_words(plan.oracle, class_names(found.campaign))
    return (
        f"Benign: the first {count(plan.seeds)} {noun} of {data} that the model classifies correctly, or simply the "
        "first, without labels. They are the seeds of the attacks.",
        f"Attacks: from every seed each attack looks for errors {where} ({printable(plan.region.text)}); an "
        f"error is found if {error} when the stored bytes are run again.",
        "Of every attack and seed two errors are mapped: the smallest (least L2 distance from its seed) and the "
        "strongest (largest margin, in logits). If they are the same everywhere, the attack is one group.",
        f"Draws: every input is answered once without dropout, and {count(found.draws, 'times')} with units dropped "
        f"at random: {printable(found.dropout)}. What is dropped depends on the input\u2019s id, not on "
        "the other inputs.",
        "AUC: of all pairs of an attacked and a benign input, the share in which the metric takes the attacked one "
        "for the more suspect (ties count half). PCS counts against suspicion, the others for it. Intervals are "
        "95 %: over seeds for AUC, exact for shares.",
    )


def map_glossary(found: UncertaintyMap) -> tuple[Term, ...]:
    """Return the meaning of every figure on the page."""
    return (
        Term("groups", "Benign, attacked", "Inputs as they are, and what attacks made of them."),
        Term("pcs", "PCS", "Probability of the answer minus that of the runner-up, without dropout: 0 unsure, 1 sure."),
        Term("vro", "VRO", "Share of the draws that differ from the answer without dropout: 0 steady, 1 shaky."),
        Term("vr", "VR", "Share of the draws that differ from the draws\u2019 own majority."),
        Term("pe", "PE", "Predictive entropy: of the mean of the draws, in nats. 0 is sure."),
        Term(
            "mi",
            "MI",
            "Mutual information: entropy of the mean minus the mean of the entropies, in nats. It is what the draws "
            "disagree about; 0 if they agree.",
        ),
        Term(
            "patterns",
            "Patterns",
            f"Two letters, confidence first. {threshold_words(found.thresholds)} HL: sure and steady. LH: unsure and "
            "shaky. LL and HH are uncommon. (Zhang et al., 2020, \u201cTowards Characterizing Adversarial Defects of "
            "Deep Learning Software from the Lens of Uncertainty\u201d.)",
        ),
        Term(
            "auc", "AUC", "How well a metric tells attacked from benign inputs: 0.5 is chance, 1 is without a mistake."
        ),
        Term(
            "correlation",
            "Correlation",
            "Pearson\u2019s, of PCS and VRO: -1 if the one tells all of the other, 0 if they are unrelated.",
        ),
        Term(
            "draws",
            "Draws",
            "Passes under dropout. After more of them VRO moves less; its steps are 1 / draws.",
        ),
    )


def threshold_words(limits: Thresholds) -> str:
    """Return what counts as high and low."""
    return (
        f"Confidence: L is PCS below {limits.low_confidence:g}, H above {limits.high_confidence:g}; uncertainty: L is "
        f"VRO below {limits.low_uncertainty:g}, H above {limits.high_uncertainty:g}; what lies between the "
        "thresholds belongs to none of the four patterns."
    )
