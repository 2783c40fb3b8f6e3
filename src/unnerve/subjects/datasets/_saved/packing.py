"""Whether an Arrow file is compressed, by its own headers (format/Message.fbs of Apache Arrow), before it is read."""

import struct

import pyarrow as pa

__all__ = ["is_compressed"]

_DICTIONARY, _BATCH = 2, 3
"""What the header of a message may be, among others."""


def is_compressed(path: str) -> bool:
    """Say whether a batch of an Arrow stream is compressed; raises ``ArrowException`` or ``OSError`` if it is none.

    A compressed batch is unpacked as a whole, and a megabyte of it may stand for gigabytes.
    """
    with pa.memory_map(path) as file:
        try:
            return any(_of_message(message.metadata.to_pybytes()) for message in pa.ipc.MessageReader.open_stream(file))
        except struct.error as problem:
            raise pa.ArrowInvalid("a header leads out of its message") from problem


def _of_message(data: bytes) -> bool:
    message = struct.unpack_from("<I", data)[0]
    kind_at, header_at = _field(data, message, 1), _field(data, message, 2)
    kind = data[kind_at] if kind_at is not None and kind_at < len(data) else None
    if header_at is None or kind not in (_DICTIONARY, _BATCH):
        return False
    batch = _table(data, header_at)
    if kind == _DICTIONARY:
        inner = _field(data, batch, 1)
        if inner is None:
            return False
        batch = _table(data, inner)
    return _field(data, batch, 3) is not None


def _table(data: bytes, at: int) -> int:
    return int(at + struct.unpack_from("<I", data, at)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return where a field of a flatbuffer's table stands; None if the table has none."""
    entries = table - struct.unpack_from("<i", data, table)[0]
    if entries < 0 or 4 + 2 * number >= struct.unpack_from("<H", data, entries)[0]:
        return None
    offset = struct.unpack_from("<H", data, entries + 4 + 2 * number)[0]
    return table + offset if offset else None
