"""``campaign.json``: written under a seal, and read with suspicion."""

import json
from collections.abc import Mapping
from typing import Any, Self

from unnerve.campaign._folder import ABSENT, Folder
from unnerve.campaign.plan import StoredPlan
from unnerve.campaign.records import plan_from_json
from unnerve.campaign.sealing.seal import digest, unsealed
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.storage.limits import TEXT

__all__ = ["FORMAT", "DamagedHeader", "read_header", "sealed_header", "write_header"]

FORMAT = 6
"""Of ``campaign.json`` and the shards; another number is refused, since what it means is not known here."""


class DamagedHeader(InvalidData):
    """A ``campaign.json`` that is not what was written.

    Parameters
    ----------
    path : str
        The folder.
    problem : Exception
        What reading it met.
    """

    def __init__(self, path: str, problem: Exception) -> None:
        self.reason = f"damaged: it has no {problem}" if isinstance(problem, KeyError) else f"damaged: {problem}"
        self.path, self.problem = path, problem
        super().__init__(f"{path}: campaign.json is {self.reason}")

    def __reduce__(self) -> tuple[type[Self], tuple[str, Exception]]:
        return type(self), (self.path, self.problem)  # by its message alone it could not be made again elsewhere


def sealed_header(header: Mapping[str, Any]) -> dict[str, Any]:
    """Return a header with its own hash as ``seal``, in the place of an older one."""
    return {**unsealed(header), "seal": digest(unsealed(header))}


def write_header(folder: Folder, parts: Mapping[str, Any]) -> None:
    """Write the header of a campaign: its plan, versions, classes, and the hash of its seeds."""
    text = json.dumps(sealed_header({"format": FORMAT, **parts}), indent=1)
    folder.write("campaign.json", lambda file: file.write(text.encode()))


def read_header(folder: Folder) -> tuple[dict[str, Any], StoredPlan]:
    """Return what ``campaign.json`` holds, and the plan in it; raises if it is not as it was written."""
    try:
        # Decoded here: of bytes, json would guess an encoding, and import whatever reads it.
        header: dict[str, Any] = json.loads(folder.content("campaign.json", TEXT).decode())
        if not isinstance(header, dict):
            raise TypeError("it must be an object")
        _check_format(folder.path, header.get("format", 1))
        plan = plan_from_json(header["plan"])
        if not (isinstance(header["versions"], dict) and all(isinstance(name, str) for name in header["classes"])):
            raise TypeError("versions must be an object and classes a list of names")
        # Last, so that what is plainly wrong is named; a flipped bit that still makes sense is caught here.
        if header["seal"] != digest(unsealed(header)):
            raise ValueError("its content is not what was written")
    except ABSENT as problem:
        raise InvalidData(f"{folder.path}: there is no campaign (campaign.json is missing)") from problem
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError, InvalidSetting) as problem:
        raise DamagedHeader(folder.path, problem) from problem
    return header, plan


def _check_format(path: str, found: object) -> None:
    if found != FORMAT:
        raise InvalidData(
            f"{path} was written in format {json.dumps(found)[:40]}, and this version reads format {FORMAT}; "
            "run it again into another folder, or read it with the version that wrote it"
        )
