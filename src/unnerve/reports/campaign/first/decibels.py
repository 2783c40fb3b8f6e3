"""How much quieter than its clip the smallest change of each seed is."""

import numpy as np

from unnerve.reports.campaign.evidence import Evidence

__all__ = ["decibels_below"]


def decibels_below(evidence: Evidence, changes: np.ndarray) -> np.ndarray:
    """Return the ratio of each clip's power to that of its change, in dB.

    Parameters
    ----------
    evidence : Evidence
    changes : float array of shape (S,)
        Euclidean lengths of changes, of each seed of the evidence; infinite for none.

    Returns
    -------
    float array of shape (S,)
        Larger for smaller changes; minus infinity where there is none.
    """
    places = {seed: place for place, seed in enumerate(evidence.seeds)}
    lengths = np.ones(len(changes))
    for task, campaign in dict(zip(evidence.tasks, evidence.campaigns, strict=True)).items():
        for names, inputs in campaign.store.seed_blocks():
            norms = np.linalg.norm(inputs.reshape(len(inputs), -1).astype(np.float64), axis=1)
            for name, norm in zip(names, norms, strict=True):
                if (task, name) in places:
                    lengths[places[task, name]] = norm
    with np.errstate(divide="ignore"):
        found: np.ndarray = 20 * np.log10(lengths / changes)
    return found
