"""Files that are models by themselves."""

from pathlib import Path

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.subjects.opening import ModelOptions

__all__ = ["model_file"]


def model_file(place: str, options: ModelOptions) -> Path:
    """Return the path of a file that holds a model with its weights; it exists, and no other weights are wanted."""
    # Else the user would believe that these weights were tested.
    if options.weights is not None:
        raise InvalidSetting(f"{place} holds its own weights; leave --weights away")
    path = Path(place)
    if not path.is_file():
        raise InvalidModel(f"no such file: {path}")
    return path
