"""Where one pool of a campaign is kept while it is unfinished: a hash, and the bytes of a safetensors file."""

import hashlib
import warnings

from unnerve.campaign._folder import ABSENT, Folder
from unnerve.campaign.sealing.seal import SealedAs
from unnerve.core.errors import InvalidData

__all__ = ["Checkpoint"]

_HASH = 16
"""Bytes in front that tell what follows, and whose it is."""


class Checkpoint:
    """The place of one unfinished pool.

    Parameters
    ----------
    folder : Folder
        Of the campaign.
    owner : SealedAs
        Which pool it is, of which plan.
    """

    def __init__(self, folder: Folder, owner: SealedAs) -> None:
        self.folder, self.owner = folder, owner
        self.name = f"checkpoints/{owner.shard}.checkpoint"

    def load(self) -> bytes | None:
        """Return what was saved last, if anything was; what is damaged, or another's, is set aside with a warning."""
        try:
            data = self.folder.content(self.name)
            if data[:_HASH] == self._hash(data[_HASH:]):
                return data[_HASH:]
        except ABSENT:
            return None
        except InvalidData:  # no file at all, or one without end: moved away as well
            pass
        # A pool that went on from a damaged state would find other inputs than one that was never killed.
        moved = self.folder.set_aside(self.name)
        done = f"it was moved to {moved}, and its pool is begun again"
        warnings.warn(f"{self.folder.path}: {self.name} is damaged or foreign; {done}", stacklevel=2)
        return None

    def save(self, data: bytes) -> None:
        """Keep this in the place of what was saved before."""
        self.folder.write(self.name, lambda file: file.write(self._hash(data) + data))

    def remove(self) -> None:
        """Forget it: the pool is finished."""
        self.folder.remove(self.name)

    def _hash(self, data: bytes) -> bytes:
        hashed = hashlib.blake2b(f"{self.owner.plan} {self.owner.shard} ".encode(), digest_size=_HASH)
        hashed.update(data)
        return hashed.digest()
