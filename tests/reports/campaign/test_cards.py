"""Figures of a campaign at a glance."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.cards import campaign_cards
from unnerve.reports.campaign.evidence import evidence


def test_cards_of_a_campaign(tmp_path: Path) -> None:
    cards = {card.term: card for card in campaign_cards(evidence([Hunted().campaign(tmp_path / "a")]))}
    assert (cards["seeds"].figure, cards["seeds"].note[:9]) == ("80 %", "12 of 15;")
    assert (cards["broken"].figure, cards["broken"].note[:9]) == ("91.7 %", "11 of 12;")
    assert (cards["kinds"].figure, cards["kinds"].name) == ("22", "kinds of errors, of 36 possible")
    assert cards["queries"].figure == f"{2 * 12 * 20 / 76:.3g}"
    assert cards["time"].figure == "3 s"
    assert (cards["change"].figure, cards["change"].note[-11:]) == ("0.025", "0.1 allowed")


def test_without_labels_accuracy_is_unknown(tmp_path: Path) -> None:
    made = Hunted(labels=False, oracle="changed", classes=())
    cards = {card.term: card for card in campaign_cards(evidence([made.campaign(tmp_path / "a")]))}
    assert cards["seeds"].figure == "unknown"
    assert cards["kinds"].name == "kinds of errors"
