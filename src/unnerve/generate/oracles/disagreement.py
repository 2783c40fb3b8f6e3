"""An error is an answer in which models for the same task differ (Pei et al., "DeepXplore", SOSP 2017)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.facts import OracleFacts
from unnerve.core.findings import Candidates, Seeds, Verdict
from unnerve.core.model import Capability, Classifier, Observation
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.command_text import command_text
from unnerve.core.subject import Subject

__all__ = ["Disagreement"]


@dataclass(frozen=True)
class Disagreement:
    """The model's answer differs from that of at least one of its peers.

    The margin is the distance from agreement: of the model's class ``a`` and a peer's class ``b``, the smaller lead of
    ``a`` over ``b`` in the model and of ``b`` over ``a`` in the peer, for the peer where it is largest.

    References
    ----------
    Pei et al., "DeepXplore: Automated Whitebox Testing of Deep Learning Systems", 2017.
    """

    needs = Capability.ANSWERS
    target = None
    peered = True

    def facts(self) -> OracleFacts:
        """Return what reports say of it."""
        return OracleFacts(
            describe(self), command_text(self), "models for the same task differ", "differ from its peers"
        )

    def __call__(self, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates) -> Verdict:
        """Ask the model and every peer about every candidate."""
        peers = subject.context.peers
        if not peers:
            raise InvalidSetting("disagreement compares models for the same task; give --peers MODEL,...")
        seen = subject.model.observe(candidates.inputs)
        margins = [_margin(seen, peer.observe(candidates.inputs)) for peer in peers]
        margin = torch.stack(margins).amax(dim=0)
        return Verdict(margin > 0, margin, seen)


def _margin(seen: Observation, other: Observation) -> Tensor:
    own, theirs = seen.predicted, other.predicted
    apart = torch.minimum(_lead(seen, own, theirs), _lead(other, theirs, own))
    # Where they agree, both would have to change their minds: the smaller lead, as a negative number.
    agreeing = -torch.minimum(seen.lead(own), other.lead(own))
    return torch.where(own == theirs, agreeing, apart)


def _lead(seen: Observation, first: Tensor, second: Tensor) -> Tensor:
    return (seen.logits.gather(1, first.unsqueeze(1)) - seen.logits.gather(1, second.unsqueeze(1))).squeeze(1)
