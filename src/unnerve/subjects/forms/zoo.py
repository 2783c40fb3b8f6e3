"""``zoo:NAME``: the networks that come with unnerve."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import nn

from unnerve.core.errors import InvalidModel, InvalidSetting, UserError
from unnerve.core.naming.catalogue import bound
from unnerve.core.naming.specification import specification
from unnerve.core.storage.limits import PARAMETERS
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.input_facts import facts_of
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions
from unnerve.subjects.weights import fill, shipped

__all__ = ["Zoo"]


@dataclass(frozen=True)
class Zoo:
    """A network of the zoo, with its shipped weights, with ``--weights FILE``, or untrained: ``zoo:NAME?random``."""

    shown: ClassVar[str] = "zoo:NAME"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Build the network; random weights are always the same."""
        text, _, wish = place.partition("?")
        if wish not in ("", "random"):
            raise InvalidModel(f"after '?' only 'random' is known, got '{wish}'")
        make = bound("zoo model", text)
        _check_buildable(text, make)
        # Layers draw their first weights from the global generator, which is given back as it was.
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(0)
            module: nn.Module = make()
        if wish != "random" and options.weights is None:
            path = shipped(specification(text).name)
            if path is None:
                raise InvalidModel(
                    f"zoo:{text} ships without weights; give --weights FILE, or zoo:{text}?random for untrained ones"
                )
            fill(module, path)
        facts = facts_of(module)
        declared = Declaration("network of the zoo", "logits", value_range=facts.value_range, inputs=facts)
        return Opened(module, declared)


def _check_buildable(text: str, make: Callable[[], nn.Module]) -> None:
    """Raise if the settings of a zoo network make no network, or one too large; no memory is taken for its weights."""
    given = specification(text).settings
    for key, value in given:
        if value.removeprefix("-").isdigit() and int(value) < (least := 2 if key == "classes" else 1):
            raise InvalidSetting(f"zoo:{text}: {key or 'the setting'} must be >= {least}, got {value}")
    if not given:
        return
    try:
        # Tensors without memory: a network of a trillion weights can be counted.
        with torch.device("meta"):
            count = sum(part.numel() for part in make().parameters())
    except UserError:
        raise
    except Exception as problem:
        line = str(problem).partition("\n")[0]
        raise InvalidSetting(f"zoo:{text} makes no network, {type(problem).__name__}: {line}") from problem
    if count > PARAMETERS:
        raise InvalidSetting(f"zoo:{text} must have <= {PARAMETERS:,} parameters, got {count:,}")
