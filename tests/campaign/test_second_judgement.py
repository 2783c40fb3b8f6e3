"""Which findings are judged a second time: each seed's first of a wrong class, and one in twenty of the rest."""

from tests.campaign.test_tables import FINDING
from unnerve.campaign._second_judgement import _chosen
from unnerve.core.findings import finding_id


def test_the_first_of_each_kind_and_one_in_twenty_are_judged_again() -> None:
    found = {}
    for row in range(2000):
        seed, after, data = str(row % 2), row // 2 % 3, row.to_bytes(16, "little")
        one = FINDING._replace(id=finding_id(seed, data), seed_id=seed, after=after, input=data)
        found[one.id] = one
    chosen = _chosen(found)
    first = list(found)[:6]
    assert set(first) <= set(chosen), "two seeds, three wrong classes"
    assert 60 < len(chosen) - 6 < 140, "about a hundred of the others"
    assert chosen == _chosen(found), "the same ones each time"
