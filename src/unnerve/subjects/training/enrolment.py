"""Enrolment: a network that compares embeddings learns the classes of some data, without training."""

from typing import Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData, InvalidModel

__all__ = ["enrol"]


@runtime_checkable
class _Enrolling(Protocol):
    centroids: nn.Parameter

    def embedding(self, x: Tensor) -> Tensor: ...


def enrol(module: nn.Module, data: Examples) -> nn.Module:
    """Set the centroids of a network to the mean embeddings of the classes of some data, and return it.

    Parameters
    ----------
    module : nn.Module
        With ``embedding(x)`` and ``centroids`` (classes, width), such as ``zoo:resemblyzer``.
    data : Examples
        With labels; every class must occur.

    Examples
    --------
    >>> import torch, unnerve
    >>> from unnerve.subjects.training.enrolment import enrol
    >>> from unnerve.subjects.zoo.resemblyzer import resemblyzer
    >>> encoder = resemblyzer(classes=60)
    >>> encoder.load_state_dict(torch.load("resemblyzer_voice_encoder.pt", weights_only=True), strict=False)
    >>> enrol(encoder, unnerve.examples("speech:audiomnist_16k.npz", split="train"))
    """
    if not isinstance(module, _Enrolling):
        raise InvalidModel(f"{type(module).__name__}: only networks with an embedding and centroids are enrolled")
    if data.labels is None:
        raise InvalidData(f"{data.name}: enrolment needs labels")
    sums = torch.zeros_like(module.centroids)
    with torch.no_grad():
        for batch in data.batches(64):
            assert batch.labels is not None
            if int(batch.labels.max()) >= len(sums):
                raise InvalidData(f"{data.name}: labels must be < {len(sums)}, got {int(batch.labels.max())}")
            sums.index_add_(0, batch.labels, module.embedding(batch.inputs))
        missing = (sums.abs().sum(dim=1) == 0).nonzero().flatten().tolist()
        if missing:
            raise InvalidData(f"{data.name}: every class must occur, found no clip of class {missing[0]}")
        module.centroids.copy_(nn.functional.normalize(sums, dim=1))
    return module
