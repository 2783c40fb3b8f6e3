from unnerve.campaign.counts import Counts
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.core.findings import Finding

FINDING = Finding("x", "a", 1, 1, 2, 0.5, 0.5, 1, 0.1, 0.1, 3, 0.5, b"", (0,), "float32")
ONE = Outcome(
    ((FINDING, 5), (FINDING._replace(id="y", after=0), 7), (FINDING._replace(id="z"), 9)),
    (SeedRecord("a", 11, 5, 4), SeedRecord("b", 13, 5, 0)),
)
TWO = Outcome(((FINDING._replace(id="u", seed_id="c"), 3),), (SeedRecord("c", 3, 1, 1), SeedRecord("d", 0, 0, 0, "no")))


def test_counts_by_hand() -> None:
    assert ONE.counts() == Counts(
        inputs=2, errors=3, error_categories=2, seeds_broken=1, errors_as_in_paper=4, queries=24, failed=0
    )
    assert TWO.counts() == Counts(
        inputs=1, errors=1, error_categories=1, seeds_broken=1, errors_as_in_paper=1, queries=3, failed=1
    )


def test_counts_of_a_sum_are_the_sum_of_counts() -> None:
    assert (ONE + TWO).counts() == ONE.counts() + TWO.counts()
    assert Outcome((), ()).counts() == Counts()


def test_outcomes_add_up_in_any_grouping() -> None:
    a, b, c = (Outcome((), (SeedRecord(name, 1, 2, 3),)) for name in "abc")
    assert (a + b) + c == a + (b + c) == Outcome((), (*a.seeds, *b.seeds, *c.seeds))


def test_what_is_done_again_takes_the_place_of_what_was_done_before() -> None:
    again = Outcome(((FINDING._replace(id="v", seed_id="b"), 2),), (SeedRecord("b", 5, 1, 1),))
    whole = (ONE + TWO).replaced(again)
    assert [one.id for one, _ in whole.findings] == ["x", "y", "z", "v", "u"], "in the order of the seeds"
    assert whole.seeds == (ONE.seeds[0], again.seeds[0], *TWO.seeds)
    assert whole.replaced(again) == whole
