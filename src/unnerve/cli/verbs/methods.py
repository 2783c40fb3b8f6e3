"""``unnerve methods``: what there is, with settings and references."""

from typing import Annotated

import typer

from unnerve.cli.options import JsonOption

__all__ = ["methods"]


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="One method; all by default.")] = None,
    json: JsonOption = False,
) -> None:
    """List every method, or show one with its settings.

    \b
    unnerve methods
    unnerve methods patch
    """
    from unnerve.cli.show import say, say_json
    from unnerve.studies.methods import method_cards

    cards = method_cards(name)
    if json:
        say_json({"methods": [vars(card) for card in cards]})
        return
    for card in cards:
        say(f"{card.name:22} {card.kind:13} {card.summary}" if name is None else card.page())
