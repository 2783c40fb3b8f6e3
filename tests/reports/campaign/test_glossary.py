"""What the words of a campaign's report mean, and how it went."""

from pathlib import Path

import pytest

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.glossary import campaign_steps

BOTH = "pgd (after 20 queries) and random (after 20 queries)"


@pytest.mark.parametrize(
    ("queries", "least", "said"),
    [
        (20, 5, ""),
        (200, 5, f" {BOTH} end once, for want of random numbers."),
        (30, 11, f" {BOTH} had too few queries left for another step."),
    ],
)
def test_who_leaves_much_of_the_budget_is_said_with_the_reason(
    tmp_path: Path, queries: int, least: int, said: str
) -> None:
    # Each method of the campaign spends 20 queries per seed.
    found = evidence([Hunted(again=True, queries=queries, least=least).campaign(tmp_path / "a")])
    rule = "a method that ends earlier starts again, if it draws random numbers."
    assert f"{rule}{said} After" in campaign_steps(found)[1]
