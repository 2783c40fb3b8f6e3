"""Figures of a campaign at a glance."""

from pathlib import Path

from tests.reports.campaigns import Hunted
from unnerve.reports.campaign.cards import campaign_cards
from unnerve.reports.campaign.evidence import evidence
from unnerve.reports.campaign.first.why import smallest_change


def test_cards_of_a_campaign(tmp_path: Path) -> None:
    cards = {card.term: card for card in campaign_cards(evidence([Hunted().campaign(tmp_path / "a")]))}
    assert (cards["seeds"].figure, cards["seeds"].note[:9]) == ("80 %", "12 of 15;")
    assert (cards["broken"].figure, cards["broken"].note[:9]) == ("91.7 %", "11 of 12;")
    assert (cards["kinds"].figure, cards["kinds"].name) == ("22", "kinds of errors, of 36 possible")
    assert cards["queries"].figure == f"{2 * 12 * 20 / 76:.3g}"
    assert cards["time"].figure == "3 s"
    assert (cards["change"].figure, cards["change"].note[-11:]) == ("0.025", "0.1 allowed")


def test_the_smallest_change_of_clips_is_in_decibels(tmp_path: Path) -> None:
    found = evidence([Hunted(shape=(64,), region="snr:20").campaign(tmp_path / "a")])
    card = next(card for card in campaign_cards(found) if card.term == "change")
    said = "".join(phrase.text for phrase in smallest_change(found))
    assert card.figure.endswith(" dB")
    assert f": {card.figure} below the clip" in said
    assert card.name == "smallest change that breaks a seed, median dB below the clip"
    assert card.note.endswith("smaller is better for the model; 20 dB allowed")


def test_without_labels_accuracy_is_unknown(tmp_path: Path) -> None:
    made = Hunted(labels=False, oracle="changed", classes=())
    cards = {card.term: card for card in campaign_cards(evidence([made.campaign(tmp_path / "a")]))}
    assert cards["seeds"].figure == "unknown"
    assert cards["kinds"].name == "kinds of errors"
