"""Whether scores need draws under dropout; settings of draws that none of them needs would be ignored."""

from collections.abc import Iterable
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import evidence
from unnerve.core.naming.catalogue import names
from unnerve.core.scores import score_named
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.rank.comparison import Order

__all__ = ["check_draws"]


def check_draws(methods: Iterable[Any], dropout: DropoutSettings) -> bool:
    """Say whether a score needs draws; raise if none does and something is said of them.

    Parameters
    ----------
    methods : iterable of Score or Order
    dropout : DropoutSettings
    """
    if any(_draws(one) for one in methods):
        return True
    ignored = [f"--{name}" for name in dropout.given]
    if ignored:
        able = [name for name in names("score") if _draws(score_named(name))]
        need = "needs" if len(ignored) == 1 else "need"
        raise InvalidSetting(f"{' and '.join(ignored)} {need} a --score of dropout: {', '.join(able)}")
    return False


def _draws(method: Any) -> bool:
    return not isinstance(method, Order) and "draws" in evidence(method)
