"""The numbers of a verb's JSON, with their intervals."""

from unnerve.studies.gates.quantities import Quantity, quantities


def test_intervals_are_found_in_all_three_places() -> None:
    figures = {
        "method": "pgd",
        "inputs": 10,
        "errors": 40,
        "broken": 0.5,
        "broken_ci95": [0.2, 0.8],
        "ci95": {"errors": [3, 5]},
        "auc": {"pgd": {"vro": {"value": 0.9, "ci95": [0.8, 1.0]}}},
        "complete": True,
        "list": [1, 2],
    }
    assert quantities(figures) == [
        Quantity("inputs", 10, 10, 10, counted=True),
        Quantity("errors", 40, 30, 50, counted=True),
        Quantity("broken", 0.5, 0.2, 0.8),
        Quantity("auc.pgd.vro", 0.9, 0.8, 1.0),
    ]


def test_rows_are_named_by_their_methods_and_know_if_they_are_finished() -> None:
    rows = [{"method": "pgd:steps=2", "errors": 3, "complete": False}, {"method": "fgsm", "errors": 1}]
    found = quantities({"rows": rows})
    assert [(one.name, one.settled) for one in found] == [("pgd:steps=2.errors", False), ("fgsm.errors", True)]
    assert all(one.is_named("errors") for one in found)
    assert [one.name for one in quantities(rows[1] | {"rows": rows[1:]})] == ["errors"]


def test_what_is_not_known_has_no_interval() -> None:
    assert quantities({"broken": None, "broken_ci95": None}) == [Quantity("broken", None, None, None)]
