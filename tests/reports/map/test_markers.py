"""Colours and shapes of groups."""

from unnerve.reports.map.markers import markers


def test_markers_tell_groups_apart() -> None:
    names = ["benign", *(f"{attack}, {kind}" for attack in range(40) for kind in ("smallest", "strongest"))]
    every = markers(names)
    assert len({(one.colour, one.symbol) for one in every}) == len(names)
    assert every[0].symbol == "circle"
    assert (every[1].colour, every[1].path) == (every[2].colour, every[2].path)
    assert [one.hollow for one in every[:4]] == [False, True, False, True]
