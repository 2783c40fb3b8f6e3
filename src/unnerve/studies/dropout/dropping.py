"""A model with the dropout that some settings describe."""

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import noted, opening_of
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Classifier
from unnerve.studies.dropout.calibrated_rate import calibrated_rate
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.subjects.dropout import with_dropout

__all__ = ["dropping"]


def dropping(model: Classifier, data: Examples, settings: DropoutSettings, seed: int = 0) -> Classifier:
    """Return the model with the dropout that is asked for, or as it is; ``data`` is for a rate that meets a VRO."""
    if settings.dropout is None:
        return model
    kind, _, number = str(settings.dropout).rpartition("=")
    try:
        value = float(number)
    except ValueError:
        kind = "?"
    if kind not in ("", "vro"):
        raise InvalidSetting(f"--dropout must be a rate in (0, 1), or vro=V, got '{settings.dropout}'")
    if kind == "vro":
        value = calibrated_rate(model, data, value, places=settings.places, draws=settings.count, seed=seed)
    drawn = with_dropout(model, value, settings.places)
    if settings.places is not None:
        drawn.dropout_points(data.batch(range(1)).inputs)  # a layer that is not there shows now, not in every draw
    # The verb's own options say how it drops out, so it is opened as it was.
    return noted(drawn, opening_of(model))
