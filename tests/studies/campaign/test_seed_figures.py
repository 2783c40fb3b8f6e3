from unnerve.campaign.tally import SeedTally
from unnerve.studies.campaign.seed_figures import seed_figures

BROKEN = SeedTally("a", 40, 12, 6, errors=(8, 12, 20), kinds=((3, 8), (7, 12)), failed=None)
SPARED = SeedTally("b", 40, 10, 0, errors=(), kinds=(), failed=None)


def test_what_each_seed_brought() -> None:
    found = seed_figures([BROKEN, SPARED])
    assert {name: one.counts.tolist() for name, one in found.items()} == {
        "seeds_broken": [1, 0],
        "error_categories": [2, 0],
        "errors": [3, 0],
    }


def test_what_is_possible() -> None:
    assert [one.most for one in seed_figures([BROKEN, SPARED]).values()] == [1, 12, 12]
    assert [one.most for one in seed_figures([BROKEN, SPARED], classes=10).values()] == [1, 9, 12]
    assert [one.most for one in seed_figures([SPARED], classes=100).values()] == [1, 10, 10]
