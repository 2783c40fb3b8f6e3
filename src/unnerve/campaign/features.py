"""What a layer makes of seeds and findings: ``features.parquet`` beside the shards, its hash in a sealed note."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from unnerve.campaign._tables import UNREADABLE, read_seeds, write_seeds
from unnerve.campaign.sealing.seal import file_digest
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData

__all__ = ["StoredFeatures", "finding_key", "read_features", "seed_key", "write_features"]

_FILE = "features.parquet"
_NOTE = "features"


@dataclass(frozen=True, eq=False)
class StoredFeatures:
    """Features of some inputs.

    Parameters
    ----------
    layer : str
        Whose they are.
    rows : dict of str to array of shape (U,), float32
        By :func:`seed_key` or :func:`finding_key`.
    """

    layer: str
    rows: dict[str, np.ndarray]


def seed_key(name: str) -> str:
    """Return the key of a seed's features: ids of seeds are the user's, and may look like one of a finding."""
    return f"seed {name}"


def finding_key(name: str) -> str:
    """Return the key of a finding's features."""
    return f"finding {name}"


def write_features(store: Store, layer: str, features: Examples) -> None:
    """Store features in the place of older ones, block by block.

    Parameters
    ----------
    store : Store
    layer : str
    features : Examples
        Of shape (U,), with keys as their names.
    """
    store.folder.write(_FILE, lambda file: write_seeds(file, features))
    # The note last: without it, or with that of older features, the file is not believed.
    store.note(_NOTE, {"layer": layer, "inputs": len(features), "digest": _digest(store)})


def read_features(store: Store, keys: Iterable[str]) -> StoredFeatures | None:
    """Return the features of these seeds and findings, as far as they are stored; None if none ever were."""
    noted = store.noted(_NOTE)
    if noted is None:
        return None
    try:
        if noted.get("digest") != _digest(store):
            raise ValueError("it is not what was written")
        with store.folder.opened(_FILE) as file:
            rows = read_seeds(file, set(keys))
        if len({row.shape for row in rows.values()}) > 1 or any(row.ndim != 1 for row in rows.values()):
            raise ValueError("features must be rows of one length")
    except (*UNREADABLE, RecursionError) as problem:
        raise InvalidData(
            f"{store.path}: {_FILE} cannot be read: {problem}; hunt --embed --resume makes it again"
        ) from problem
    return StoredFeatures(str(noted.get("layer")), rows)


def _digest(store: Store) -> str:
    with store.folder.opened(_FILE) as file:
        return file_digest(file)
