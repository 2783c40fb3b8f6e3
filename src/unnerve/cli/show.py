"""What a verb prints at its end: words for a person, one JSON object for a program."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unnerve.studies.campaign.campaign import Campaign

__all__ = ["say", "say_json", "tell_campaign"]


def say(text: str) -> None:
    """Print the result for a person."""
    print(text)


def say_json(value: Mapping[str, Any]) -> None:
    """Print the result for a program: one JSON object, without NaN."""
    print(json.dumps(value, allow_nan=False))


def tell_campaign(campaign: "Campaign", figures: dict[str, Any], as_json: bool) -> None:
    """Print the end of a campaign."""
    if as_json:
        gains = campaign.coverage
        say_json(figures | {"coverage": None if gains is None else gains.to_json()})
        return
    from unnerve.reports.campaign.text import campaign_text

    say(campaign_text(campaign))
