"""The observation both papers start from: 50 inverted 2x2 patches on an unsure and on a sure digit, ten times."""

from dataclasses import dataclass
from pathlib import Path

import torch

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.papers._parts import Part
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.rank.perturbed_copies import Draws, perturbed_answers
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["Motivation", "MotivationPlan", "motivation", "motivation_part"]

# Probabilities of the two leading classes of the papers' two digits.
_UNSURE, _SURE = (0.81, 0.18), (0.95, 0.03)
# Differs: 100 pairs beside the one of the papers: of the nearest pair here the sure digit falls more often.
_PATCHES, _REPEATS, _PAIRS = 50, 10, 100


@dataclass(frozen=True)
class MotivationPlan:
    """What decides on the patches."""

    experiment: str
    seed: int


@dataclass(frozen=True)
class Motivation:
    """What the patches did to pairs of an unsure and a sure digit.

    Parameters
    ----------
    plan : MotivationPlan
    counts : tuple of (int, int)
        Adversaries of the two digits nearest to the papers' (0.81, 0.18) and (0.95, 0.03), in each of ten repeats.
    never_fewer : float
        Share of the repeats of 100 such pairs in which the unsure digit had at least as many as the sure one.
    more, fewer : float
        Share in which it had strictly more, or strictly fewer.
    """

    plan: MotivationPlan
    counts: tuple[tuple[int, int], ...]
    never_fewer: float
    more: float
    fewer: float

    def spreads(self) -> dict[str, Interval]:
        """Return the shares, with intervals over pairs: the repeats of a pair are alike."""
        shares = {"never fewer": self.never_fewer, "more": self.more, "fewer": self.fewer}
        return {name: proportion(round(share * _PAIRS), _PAIRS) for name, share in shares.items()}


def motivation_part(data: Path, seed: int) -> Part[Motivation]:
    """Return the observation as a part."""
    return Part("motivation", MotivationPlan("motivation", seed), Motivation, lambda: motivation(data, seed))


def motivation(data: Path, seed: int) -> Motivation:
    """Repeat the observation with LeNet-5 on the MNIST test set."""
    lenet, digits = model("zoo:lenet5"), examples(f"mnist:{data / 'mnist'}", split="test")
    top = _top_two(lenet, digits)
    unsure, sure = (_nearest(top, torch.tensor(aim)) for aim in (_UNSURE, _SURE))
    counts = torch.stack([_adversaries(lenet, digits, unsure + sure, seed, step) for step in range(_REPEATS)])
    first, second = counts[:, :_PAIRS], counts[:, _PAIRS:]
    return Motivation(
        MotivationPlan("motivation", seed),
        tuple((int(a), int(b)) for a, b in zip(first[:, 0], second[:, 0], strict=True)),
        float((first >= second).float().mean()),
        float((first > second).float().mean()),
        float((first < second).float().mean()),
    )


def _top_two(lenet: Classifier, digits: Examples) -> torch.Tensor:
    return torch.cat([lenet.observe(b.inputs).probabilities.topk(2, dim=1).values for b in digits.batches()])


def _nearest(top: torch.Tensor, aim: torch.Tensor) -> list[int]:
    return [int(row) for row in torch.linalg.vector_norm(top - aim, dim=1).argsort(stable=True)[:_PAIRS]]


def _adversaries(lenet: Classifier, digits: Examples, rows: list[int], seed: int, step: int) -> torch.Tensor:
    draws = Draws(build("perturbation", "patch:colour=invert"), seed, step, _PATCHES)
    before = lenet.observe(digits.batch(rows).inputs).predicted
    after = torch.cat(list(perturbed_answers(lenet, digits, rows, draws)))
    return (after != before.unsqueeze(1)).sum(dim=1)
