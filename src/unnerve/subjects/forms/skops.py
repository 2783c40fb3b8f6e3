"""``FILE.skops``: a scikit-learn estimator saved by skops, which runs no code when it is read."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from unnerve.core.errors import InvalidModel, MissingExtra
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["Skops"]


@dataclass(frozen=True)
class Skops:
    """A scikit-learn estimator or pipeline, saved by ``skops.io.dump``: answers only.

    Types that skops does not know are refused by name; ``--trust`` takes them.
    """

    shown: ClassVar[str] = "FILE.skops"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Read the file."""
        path = model_file(place, options)
        io = _imported()
        try:
            # skops reads the names of types without importing them.
            unknown = io.get_untrusted_types(file=path)
        except Exception as problem:
            raise InvalidModel(f"{path}: not a readable skops file: {problem}") from problem
        if unknown and not options.trust:
            raise InvalidModel(
                f"{path}: holds types that skops does not know, and loading them can run code: {', '.join(unknown)}; "
                "if you trust the file, add --trust"
            )
        return Opened(_loaded(io, path, unknown), Declaration("saved by skops"))


def _loaded(io: Any, path: Path, trusted: list[str]) -> Any:
    try:
        return io.load(path, trusted=trusted)
    except Exception as problem:
        raise InvalidModel(f"{path}: cannot be loaded by skops: {type(problem).__name__}: {problem}") from problem


def _imported() -> Any:
    try:
        import skops.io  # noqa: PLC0415 - optional
    except ImportError as problem:
        raise MissingExtra("a model saved by skops", "skops") from problem
    return skops.io
