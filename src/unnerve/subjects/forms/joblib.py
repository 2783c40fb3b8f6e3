"""``FILE.joblib``: a pickled estimator, which is only read if the user trusts it."""

import warnings
from dataclasses import dataclass
from typing import ClassVar

from unnerve.core.errors import InvalidModel
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["Joblib"]


@dataclass(frozen=True)
class Joblib:
    """A scikit-learn estimator or pipeline, saved by ``joblib.dump`` or ``pickle``: answers only.

    Loading such a file runs whatever code is stored in it, so that it needs ``--trust``.
    """

    shown: ClassVar[str] = "FILE.joblib"
    also: ClassVar[tuple[str, ...]] = ("pkl", "pickle")

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Unpickle the file, if it is trusted."""
        path = model_file(place, options)
        if not options.trust:
            raise InvalidModel(
                f"{path}: loading it runs code stored in it; if you made it yourself, or trust who did, add --trust; "
                "skops.io.dump(model, 'model.skops') saves it without code"
            )
        import joblib  # noqa: PLC0415 - only for files that are trusted

        try:
            # scikit-learn warns of other versions on loading; that belongs to what is known of the model.
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                thing = joblib.load(path)
        except Exception as problem:
            raise InvalidModel(f"{path}: cannot be unpickled: {type(problem).__name__}: {problem}") from problem
        other = any("InconsistentVersion" in one.category.__name__ for one in said)
        return Opened(thing, Declaration(f"unpickled{', saved by another version of scikit-learn' * other}"))
