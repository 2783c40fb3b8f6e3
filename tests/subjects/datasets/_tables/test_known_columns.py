import numpy as np
import pytest

from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidData
from unnerve.subjects.data import examples, further_data
from unnerve.subjects.datasets._tables.known_columns import columns_as, columns_like
from unnerve.subjects.datasets.table import table

PEOPLE = {"age": [20, 30, 40], "city": ["Ulm", "Bonn", "Kiel"], "income": [900.0, 100.0, 500.0]}


def people(*without: str, **other: list[str]) -> Examples:
    columns = {name: values for name, values in {**PEOPLE, **other}.items() if name not in without}
    return table(columns, categories=["city"] if "city" in columns else None, name="people")


def rows(data: Examples) -> list[list[float]]:
    found: list[list[float]] = data.batch(range(len(data))).inputs.tolist()
    return found


def test_columns_are_found_by_their_names() -> None:
    chosen = columns_as(people(), ("income", "city"), "net")
    assert chosen.features is not None
    assert chosen.features.names == ("income", "city")
    assert chosen.shape == (2,)
    assert rows(chosen) == [[900, 2], [100, 0], [500, 1]]
    assert chosen.value_range == (0, 900)


def test_what_nobody_knows_stays_as_it_is() -> None:
    data, images = people(), examples(np.zeros((2, 1, 4, 4), dtype=np.float32))
    assert columns_as(data, None, "net") is data
    assert columns_as(data, ("age", "city", "income"), "net") is data
    assert columns_as(images, ("age",), "net") is images


def test_a_column_that_is_lacking_is_named() -> None:
    wanted = "people: must have the columns that net knows, and lacks 'size'; it has age, city, income"
    with pytest.raises(InvalidData, match=wanted):
        columns_as(people(), ("age", "size"), "net")


def test_a_further_table_has_the_codes_of_the_first() -> None:
    """Kiel is missing, so that Ulm would be 1 there, and 2 in the table that the model knows."""
    further = further_data(people(city=["Ulm", "Ulm", "Bonn"]), people())
    assert rows(further.take([0, 2])) == [[20, 2, 900], [40, 0, 500]]
    assert further.features is not None
    assert further.features.columns[1].values == ("Bonn", "Kiel", "Ulm")


def test_a_further_table_must_hold_what_the_first_does() -> None:
    with pytest.raises(
        InvalidData, match=r"the column 'city' must hold what it holds in people: Bonn, Kiel, Ulm, got Hof"
    ):
        columns_like(people(city=["Hof", "Ulm", "Bonn"]), people())
    with pytest.raises(InvalidData, match="lacks 'income'"):
        columns_like(people("income"), people())
    with pytest.raises(InvalidData, match="got numbers"):
        columns_like(table({**PEOPLE, "city": [0, 1, 2]}, name="people"), people())
