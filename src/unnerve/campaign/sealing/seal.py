"""Seals: what a stored file carries so that a reader can tell it from a damaged one, and from another campaign's.

A shard's seal stands in the metadata of its parquet file: which plan and which shard it is of, a checksum of the bytes
that hold the inputs, and a hash of all its other bytes. Two of them, because most readers want a few small columns:
they need not go through megabytes of inputs that they do not look at. Of inputs a checksum is enough, for each finding
has a content hash of its own. A seal is no signature: who means to deceive can seal again.

Seals are checked before Arrow sees a byte: a damaged footer can end the process that parses it.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from io import BytesIO
from typing import IO, Any

import pyarrow.parquet as pq

__all__ = ["KEY", "Seal", "SealedAs", "check_seal", "digest", "file_digest", "sealed", "unsealed"]

KEY = b"unnerve.seal"
_UNKNOWN = "0" * 32
_UNKNOWN_CHECKSUM = "0" * 8
# A seal is found by how it begins: the first field of Seal, as json.dumps writes it.
_OPENING = b'{"plan": "'
# More than a seal is long, so that reading one does not decode the rest of a large file.
_LONGEST = 1000
_BLOCK = 2**20


@dataclass(frozen=True)
class SealedAs:
    """What a shard is: the hash of its plan, and its name.

    Parameters
    ----------
    plan, shard : str
    """

    plan: str
    shard: str


@dataclass(frozen=True)
class Seal:
    """What a shard says of itself.

    Parameters
    ----------
    plan, shard : str
        What it belongs to.
    inputs : str
        CRC-32 of the bytes of the column ``input``.
    start, stop : str
        Where these bytes lie, as numbers of 16 digits.
    rest : str
        Hash of the seal itself without this one, and of all other bytes of the file.
    """

    plan: str
    shard: str
    inputs: str = _UNKNOWN_CHECKSUM
    start: str = f"{0:016}"
    stop: str = f"{0:016}"
    rest: str = _UNKNOWN

    def to_bytes(self) -> bytes:
        """Return it as it stands in a file; always as long, whatever is known."""
        return json.dumps(asdict(self)).encode()


def digest(value: Any) -> str:
    """Return a hash of JSON that does not depend on the order of keys, or of bytes."""
    plain = value if isinstance(value, bytes) else json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.blake2b(plain, digest_size=16).hexdigest()


def file_digest(file: IO[bytes]) -> str:
    """Return the same hash of what an open file holds."""
    hashed = hashlib.blake2b(digest_size=16)
    while block := file.read(_BLOCK):
        hashed.update(block)
    return hashed.hexdigest()


def unsealed(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return of a sealed JSON object what its seal is the hash of."""
    return {key: value for key, value in header.items() if key != "seal"}


def sealed(data: bytes, owner: SealedAs) -> bytes:
    """Return a parquet file in whose metadata a blank seal stands, with the hashes filled in."""
    blank = Seal(owner.plan, owner.shard)
    # From the end, where the metadata lies: an input's own bytes may hold the same text.
    place = data.rindex(blank.to_bytes())
    start, stop = _input_range(pq.ParquetFile(BytesIO(data)).metadata)
    known = replace(blank, inputs=_checksum(data, start, stop), start=f"{start:016}", stop=f"{stop:016}")
    known = replace(known, rest=_rest_digest(data, known, place))
    return data[:place] + known.to_bytes() + data[place + len(known.to_bytes()) :]


def check_seal(data: bytes, owner: SealedAs, inputs: bool) -> None:
    """Raise ValueError unless a file is as it was written and what is looked for; with the bytes of its inputs or not.

    Nothing of the file is parsed but the seal itself.
    """
    place = data.rfind(_OPENING)
    if place < 0:
        raise ValueError("it has no seal")
    try:
        found, _ = json.JSONDecoder().raw_decode(data[place : place + _LONGEST].decode(errors="replace"))
        seal = Seal(**found)
        start, stop = int(seal.start), int(seal.stop)
    except (TypeError, ValueError, RecursionError) as problem:
        raise ValueError("its seal is damaged") from problem
    if seal.plan != owner.plan:
        raise ValueError("it belongs to another plan")
    if seal.shard != owner.shard:
        raise ValueError(f"it is a copy of {seal.shard}")
    if not 0 <= start <= stop <= place or _rest_digest(data, seal, place) != seal.rest:
        raise ValueError("its bytes are not those that were written")
    if inputs and _checksum(data, start, stop) != seal.inputs:
        raise ValueError("the bytes of its inputs are not those that were written")


def _checksum(data: bytes, start: int, stop: int) -> str:
    # Whoever loads all inputs waits for this. BLAKE2 took a fifth of the time in which they are unpacked.
    return f"{zlib.crc32(memoryview(data)[start:stop]):08x}"


def _rest_digest(data: bytes, seal: Seal, place: int) -> str:
    """Hash all bytes but those of the inputs, with all of the seal in front as far as it is known without them."""
    view, hashed = memoryview(data), hashlib.blake2b(digest_size=16)
    hashed.update(replace(seal, rest=_UNKNOWN).to_bytes())
    hashed.update(view[: int(seal.start)])
    hashed.update(view[int(seal.stop) : place])
    hashed.update(view[place + len(seal.to_bytes()) :])
    return hashed.hexdigest()


def _input_range(metadata: Any) -> tuple[int, int]:
    """Return where the bytes of the inputs start and stop; shards are written as one row group."""
    if not metadata.num_rows:
        return 0, 0
    group = metadata.row_group(0)
    columns = (group.column(place) for place in range(group.num_columns))
    found = next(one for one in columns if one.path_in_schema == "input")
    # A dictionary, if there is one, stands before the values.
    first = found.data_page_offset if found.dictionary_page_offset is None else found.dictionary_page_offset
    return first, first + found.total_compressed_size
