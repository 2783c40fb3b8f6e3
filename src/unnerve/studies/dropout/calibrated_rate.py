"""The dropout rate at which inputs that a model gets right are as uncertain as one wants."""

from collections.abc import Sequence

import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.model import Classifier
from unnerve.measure.scores.vro import vro
from unnerve.subjects.dropout import with_dropout

__all__ = ["calibrated_rate"]

_HIGHEST, _HALVINGS = 0.99, 12


def calibrated_rate(
    model: Classifier,
    data: Examples,
    target_vro: float,
    *,
    places: Sequence[str] | None = None,
    inputs: int = 200,
    draws: int = 50,
    seed: int = 0,
    tolerance: float = 0.005,
) -> float:
    """Find the dropout rate at which benign inputs have a given VRO on average, by bisection.

    Papers state the VRO of benign inputs, but neither rates nor places. Masks are nested across rates and the same in
    every step, so that the VRO rises almost steadily with the rate and the search does not chase noise.

    Parameters
    ----------
    model : Classifier
        Made of an ``nn.Module``.
    data : Examples
        The first ``inputs`` that the model gets right are used; without labels, the first ``inputs``.
    target_vro : float
        In ``(0, 1)``.
    places : sequence of str, optional
        As in :func:`unnerve.subjects.dropout.with_dropout`.
    draws : int
        T.
    seed : int
        Of the masks.
    tolerance : float
        How near the VRO must come.

    Returns
    -------
    float
        In ``(0, 1)``.
    """
    if not 0 < target_vro < 1:
        raise InvalidSetting(f"the target VRO must be in (0, 1), got {target_vro}")
    benign, probabilities, ids = _benign(model, data, inputs)
    masks = Masks(seed, ids, draws)

    def reached(rate: float) -> float:
        draws = with_dropout(model, rate, places).samples(benign, masks)
        return float(vro(draws, probabilities).mean())

    low, high = 0.0, _HIGHEST
    if (most := reached(high)) < target_vro:
        raise InvalidSetting(
            f"the target VRO must be at most {most:.2f}, what a rate of {high} gives, got {target_vro}"
        )
    for _ in range(_HALVINGS):
        rate = (low + high) / 2
        found = reached(rate)
        if abs(found - target_vro) <= tolerance:
            break
        low, high = (rate, high) if found < target_vro else (low, rate)
    return rate


def _benign(model: Classifier, data: Examples, count: int) -> tuple[Tensor, Tensor, tuple[str, ...]]:
    inputs: list[Tensor] = []
    probabilities: list[Tensor] = []
    ids: list[str] = []
    for batch in data.batches(256):
        seen = model.observe(batch.inputs)
        right = torch.ones(len(batch), dtype=torch.bool) if batch.labels is None else seen.predicted == batch.labels
        rows = right.nonzero().flatten()[: count - len(ids)]
        inputs.append(batch.inputs[rows])
        probabilities.append(seen.probabilities[rows])
        ids += [batch.ids[row] for row in rows.tolist()]
        if len(ids) >= count:
            break
    if not ids:
        raise InvalidData(f"{data.name}: a dropout rate cannot be found where {model.name} gets no input right")
    return torch.cat(inputs), torch.cat(probabilities), tuple(ids)
