"""A model and the data that it is tested on: the one place where what the data hold meets what the model expects."""

from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.data.features import Features
from unnerve.core.data.openings import noted, opening_of
from unnerve.core.data.ranges import Ranged, ValueRange, range_text
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Classifier
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.data import examples_with
from unnerve.subjects.datasets._class_names import numbered_as
from unnerve.subjects.datasets._tables.known_columns import columns_as
from unnerve.subjects.declaration import declaration_of
from unnerve.subjects.models import model as as_model
from unnerve.subjects.opening import DataOptions

__all__ = ["examples_for", "fitted", "joined"]


def joined(model: Any, data: Any) -> tuple[Classifier, Examples]:
    """Take a model, and data to test it on.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take

    Returns
    -------
    model : Classifier
        It takes values as the data hold them, and brings them to the range that it expects.
    data : Examples
    """
    subject = as_model(model)
    inputs = examples_for(subject, data, DataOptions())
    _check_table(subject, inputs)
    # Nowhere else are values converted, so that nothing can be converted twice.
    return fitted(subject, inputs.value_range, inputs.features), inputs


def examples_for(model: Classifier, data: Any, options: DataOptions) -> Examples:
    """Take data to test a model on, as the model states, unless the user says how.

    Folders of images are resized, classes numbered and named, and columns of tables put in order, as the model does it.
    """
    declared = declaration_of(model)
    found = examples_with(data, options, declared.inputs.settings_of_data())
    return numbered_as(columns_as(found, declared.feature_names, model.name), declared.class_names)


def fitted(model: Classifier, held: ValueRange, features: Features | None = None) -> Classifier:
    """Return a model that takes values as data hold them; one that states no range is given them as they are.

    Parameters
    ----------
    model : Classifier
    held : (float, float)
        The range of the data.
    features : Features, optional
        Their columns, if they are a table: an estimator that was fitted with texts is given texts.
    """
    if not isinstance(model, Ranged):
        return model
    taking: Classifier = model.taking(held)
    if features is not None and isinstance(taking, BlackBox):
        taking = taking.for_table(features)
    return taking if taking is model else noted(taking, opening_of(model))


def _check_table(model: Classifier, data: Examples) -> None:
    """Raise if a model expects another range than a table's: each column has a range of its own."""
    expected = model.expects if isinstance(model, Ranged) else None
    if data.features is not None and expected not in (None, data.value_range):
        raise InvalidSetting(
            f"{model.name} expects values in {range_text(expected)}, but {data.name} is a table, whose columns keep "
            "their own ranges"
        )
