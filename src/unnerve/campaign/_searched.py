"""What hunters see: the model and the seeds, in the units in which the region measures."""

from dataclasses import replace

from torch import Tensor

from unnerve.core.findings import Seeds
from unnerve.core.methods import Hunter, InUnits, Space
from unnerve.core.model import Capability, Classifier, Quickened
from unnerve.core.pools import PoolHunter
from unnerve.core.subject import Context
from unnerve.core.wrappers.measured import Measured
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.core.wrappers.searched import Searched

__all__ = ["quickened", "searched_context", "searched_model", "searched_seeds"]


def quickened(model: Classifier, hunter: Hunter | PoolHunter, shape: tuple[int, ...]) -> Classifier:
    """Return a model for a hunter to search with: with a quick copy if it has one, and the hunter asks for no more."""
    if hunter.needs & (Capability.NEURONS | Capability.DROPOUT) or not isinstance(model, Quickened):
        return model
    quick = model.quick(shape)
    return model if quick is None else Searched(model, quick)


def searched_model(model: Classifier, meter: Meter, region: Space, part: Tensor | None = None) -> Metered:
    """Return a model whose passes are charged, to be asked in the units of the region."""
    return Metered(Measured(model, region) if isinstance(region, InUnits) else model, meter, part=part)


def searched_seeds(seeds: Seeds, region: Space) -> Seeds:
    """Return the seeds in the units of the region."""
    if not isinstance(region, InUnits):
        return seeds
    inputs = region.measured(seeds.batch.inputs)
    return replace(seeds, batch=replace(seeds.batch, inputs=inputs, value_range=region.value_range))


def searched_context(context: Context, meter: Meter, region: Space, part: Tensor | None = None) -> Context:
    """Return what methods compare with, so that passes of the peers are charged as well."""
    # Peers answer for the method under test, so their passes count as its own.
    if not context.peers:
        return context
    return replace(context, peers=tuple(searched_model(peer, meter, region, part) for peer in context.peers))
