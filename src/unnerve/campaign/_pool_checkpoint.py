"""Where an unfinished pool stands, as the bytes of a safetensors file: plain numbers and JSON, no code."""

import json
from dataclasses import dataclass
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from unnerve.campaign._ledger import Ledger
from unnerve.core.errors import InvalidData
from unnerve.core.findings import Finding
from unnerve.core.pools import PoolState

__all__ = ["Standing", "standing_from_bytes", "standing_to_bytes"]

_STATE = "state."
_FORMAT = 3


@dataclass
class Standing:
    """How far a pool hunt is, beside its ledger.

    Parameters
    ----------
    state : PoolState or None
        The hunter's own; None before it has begun.
    step : int
        Steps taken, over all turns.
    turn : int
        How often the hunter has ended and started again.
    drew : bool
        Whether it has drawn random numbers in this turn.
    spent : int
        Queries that had been spent when the turn began.
    """

    state: PoolState | None = None
    step: int = 0
    turn: int = 0
    drew: bool = False
    spent: int = 0

    def restarted(self, spent: int) -> bool:
        """Begin another turn, unless it would repeat the last one or cost nothing; return whether it was begun."""
        if not self.drew or spent == self.spent:
            return False
        # Differs: DeepXplore and DLFuzz go once through their seeds, and what is covered stays so until they end. Here
        # it is forgotten with the rest of the state: a turn must not depend on how many went before it.
        self.state, self.turn, self.drew, self.spent = None, self.turn + 1, False, spent
        return True


def standing_to_bytes(standing: Standing, ledger: Ledger) -> bytes:
    """Write a pool and all that its ledger has proven; nothing may wait for the judge."""
    assert not ledger.pending, "judge first"
    found = list(ledger.found.values())
    tensors: dict[str, Tensor] = {
        "spent": ledger.meter.spent,
        "picks": ledger.picks,
        "failing": ledger.failing,
        "nearest": ledger.nearest,
        # torch.frombuffer refuses an empty buffer, and warns of one that cannot be written to: hence the byte, and the
        # bytearray.
        "inputs": torch.frombuffer(bytearray(b"".join(one.input for one, _ in found) or b"\0"), dtype=torch.uint8),
    }
    values: dict[str, Any] = {"step": standing.step, "turn": standing.turn, "drew": standing.drew}
    values |= {"format": _FORMAT, "began": standing.spent, "state": None}
    if standing.state is not None:
        values["state"] = standing.state.values
        tensors |= {_STATE + name: value for name, value in standing.state.tensors.items()}
    values["found"] = [
        {**one._asdict(), "input": len(one.input), "spent": spent, "times": ledger.times[one.id]}
        for one, spent in found
    ]
    encoded = torch.frombuffer(bytearray(json.dumps(values).encode()), dtype=torch.uint8)
    return save({name: value.contiguous() for name, value in tensors.items()} | {"values": encoded})


def standing_from_bytes(data: bytes, ledger: Ledger) -> Standing:
    """Read what :func:`standing_to_bytes` wrote, and put the ledger where it was."""
    try:
        tensors = load(data)
        values = json.loads(tensors.pop("values").numpy().tobytes())
        if values["format"] != _FORMAT:
            raise ValueError("format")
        for name in ("picks", "failing", "nearest"):
            getattr(ledger, name).copy_(tensors.pop(name))
        ledger.meter.spent.copy_(tensors.pop("spent"))
        _restore_findings(ledger, values, tensors.pop("inputs").numpy().tobytes())
        state = None
        if values["state"] is not None:
            own = {name.removeprefix(_STATE): value for name, value in tensors.items()}
            state = PoolState(own, values["state"])
        return Standing(state, values["step"], values["turn"], values["drew"], values["began"])
    except (SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as problem:
        raise InvalidData("the checkpoint of a pool cannot be read; delete checkpoints/ and --resume") from problem


def _restore_findings(ledger: Ledger, values: dict[str, Any], inputs: bytes) -> None:
    start = 0
    for told in values["found"]:
        spent, times, stop = told.pop("spent"), told.pop("times"), start + told["input"]
        told |= {"input": inputs[start:stop], "shape": tuple(told["shape"])}
        told |= {"parameters": tuple(told["parameters"]), "evidence": tuple(map(tuple, told["evidence"]))}
        finding = Finding(**told)
        ledger.found[finding.id], ledger.times[finding.id] = (finding, spent), times
        ledger.kinds.add((finding.seed_id, finding.after))
        start = stop
