"""Lists in help texts: ``{score}`` stands for the names of all scores, those of plugins among them."""

import re
from typing import Any

from typer.core import TyperCommand

__all__ = ["VerbCommand", "listed"]

_KIND = re.compile(r"\{([a-z ]+)\}")


def listed(text: str) -> str:
    """Return a help text in which kinds of methods in braces have given way to the names of their methods."""
    from unnerve.core.naming.catalogue import names

    return _KIND.sub(lambda kind: ", ".join(names(kind[1])), text)


class VerbCommand(TyperCommand):
    """A verb that looks up its lists when its help is shown: looking for plugins costs every other start 20 ms."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write help with the names of methods as they are now."""
        for parameter in self.params:
            said = getattr(parameter, "help", None)
            if said is not None:
                parameter.help = listed(said)  # type: ignore[attr-defined]
        super().format_help(ctx, formatter)
