"""The values of the last hidden layer for the seeds and findings of a campaign, stored for its plane."""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

import numpy as np

from unnerve.campaign.features import finding_key, seed_key, write_features
from unnerve.core.data.examples import Batch, Examples
from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.model import Capability, Classifier, Instrumented, Want, require
from unnerve.core.neurons import Layer
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.findings import found_inputs

__all__ = ["embedding_after"]

# Features have no range of their own, and examples must have one.
_ANY = float(np.finfo(np.float32).max)


def embedding_after(model: Classifier, data: Examples, wanted: bool) -> Callable[[Campaign], object]:
    """Return what stores the features of a campaign's inputs after it, if that is wanted; what is wrong shows now.

    Parameters
    ----------
    model : Classifier
    data : Examples
        What the seeds are chosen from.
    wanted : bool
    """
    if not wanted:
        return lambda campaign: None
    require(model, Capability.NEURONS, "--embed")
    assert isinstance(model, Instrumented)
    layers = [layer for layer in model.neuron_map(data.batch(range(1)).inputs).layers if layer.hidden]
    if not layers:
        raise InvalidModel(f"{model.name} has no hidden layer whose features --embed could store")
    return lambda campaign: _embed(model, campaign, data, layers[-1])


def _embed(model: Instrumented, campaign: Campaign, data: Examples, layer: Layer) -> None:
    hunted = {seed.id for one in campaign.tallies.values() for seed in one.seeds if seed.failed is None}
    places = {name: row for row, name in enumerate(data.ids())}
    if not hunted <= places.keys():
        raise InvalidData(f"{campaign.store.path}: its seeds are not all in {data.name}")
    if not hunted:
        return
    seeds = data.take([places[name] for name in campaign.store.labels() if name in hunted])
    found = [one for one in found_inputs(campaign, data).values() if one is not None]
    names = [*map(seed_key, seeds.ids()), *(finding_key(name) for one in found for name in one.ids())]
    features = Examples("features", _Seen(model, layer, [seeds, *found]), names=names, value_range=(-_ANY, _ANY))
    write_features(campaign.store, layer.name, features)


class _Seen:
    """What a layer makes of several data sets, one after the other: rows that are worked out when they are read."""

    def __init__(self, model: Instrumented, layer: Layer, parts: Sequence[Examples]) -> None:
        self.model, self.columns, self.parts = model, layer.columns, parts
        self.ends = list(accumulate(len(part) for part in parts))

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.ends[-1], self.columns.stop - self.columns.start)

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        # Rows are asked for in their order, so that parts are joined in it.
        return np.concatenate([self._features(batch) for batch in self._batches(rows)])

    def _batches(self, rows: Sequence[int] | range) -> Iterator[Batch]:
        for part, end in zip(self.parts, self.ends, strict=True):
            own = [row - end + len(part) for row in rows if end - len(part) <= row < end]
            if own:
                yield from part.take(own).batches()

    def _features(self, batch: Batch) -> np.ndarray:
        found: np.ndarray = self.model.observe(batch.inputs, Want.NEURONS).neurons[:, self.columns].cpu().numpy()
        return found
