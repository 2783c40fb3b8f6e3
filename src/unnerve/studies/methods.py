"""What methods there are: name, kind, summary, settings, reference, all read from the code itself."""

import inspect
from dataclasses import dataclass, is_dataclass

from unnerve.core.errors import UnknownName
from unnerve.core.naming.catalogue import FORMER_NAMES, KINDS, describe, find, names, settings
from unnerve.studies._method_facts import method_facts

__all__ = ["MethodCard", "method_cards"]


@dataclass(frozen=True)
class MethodCard:
    """One method in words.

    Parameters
    ----------
    name, kind, summary, reference : str
    settings : tuple of str
        ``name=default`` each; a setting without default must be given.
    facts : tuple of str
        What the method says of itself: what it needs, where it works, whether it draws random numbers.
    description : str
        The docstring.
    """

    name: str
    kind: str
    summary: str
    settings: tuple[str, ...]
    facts: tuple[str, ...]
    reference: str
    description: str

    def page(self) -> str:
        """Return all that is known of the method, as text."""
        lines = [f"{self.name} ({self.kind})", f"settings: {', '.join(self.settings) or 'none'}", *self.facts]
        return "\n".join([*lines, "", self.description, ""])


def method_cards(name: str | None = None) -> list[MethodCard]:
    """Return the cards of all methods, or of those with this name in any kind."""
    wanted = None if name is None else name.replace("-", "_").lower()
    now = {kind: wanted and FORMER_NAMES.get((kind, wanted), wanted) for kind in KINDS}
    cards = [_card(kind, one) for kind in KINDS for one in names(kind) if now[kind] in (None, one)]
    if not cards:
        raise UnknownName("method", str(name), {one for kind in KINDS for one in names(kind)})
    return cards


def _card(kind: str, name: str) -> MethodCard:
    method = find(kind, name)
    text = (inspect.getdoc(method) or "").replace("``", "")
    # Evidence and inputs are not settings: only classes and factories are configured.
    configured = inspect.isclass(method) or kind in ("data set", "zoo model")
    shown = tuple(
        key if setting.default is setting.empty else f"{key}={_in_words(setting.default)}"
        for key, setting in (settings(method) if configured else {}).items()
    )
    reference = " ".join(text.partition("References\n----------\n")[2].split())
    return MethodCard(name, kind, text.split("\n")[0], shown, method_facts(kind, method), reference, text)


def _in_words(default: object) -> object:
    return describe(default)["name"] if is_dataclass(default) else default
