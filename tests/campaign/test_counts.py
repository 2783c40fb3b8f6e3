from dataclasses import astuple, fields

from hypothesis import given
from hypothesis import strategies as st

from unnerve.campaign.counts import Counts

COUNTS = st.builds(Counts, **{field.name: st.integers(0, 10**12) for field in fields(Counts)})


def test_by_hand() -> None:
    one = Counts(1, 2, 3, 4, 5, 6, 7)
    assert one + Counts(errors=10, failed=1) == Counts(1, 12, 3, 4, 5, 6, 8)
    assert Counts.total([one, one, one]) == Counts(3, 6, 9, 12, 15, 18, 21)


def test_nothing_adds_up_to_nothing() -> None:
    assert Counts.total([]) == Counts() == Counts(0, 0, 0, 0, 0, 0, 0)


@given(one=COUNTS, two=COUNTS, three=COUNTS)
def test_counts_add_up_in_any_grouping(one: Counts, two: Counts, three: Counts) -> None:
    assert (one + two) + three == one + (two + three) == Counts.total(iter([three, one, two]))
    assert one + Counts() == one == Counts() + one
    assert astuple(one + two) == tuple(a + b for a, b in zip(astuple(one), astuple(two), strict=True))
