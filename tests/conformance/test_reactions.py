"""Every reaction keeps its promises."""

import pytest

from unnerve.testing.reactions import check_reaction
from unnerve.testing.texts import texts


@pytest.mark.parametrize("text", texts("reaction"))
def test_keeps_its_promises(text: str) -> None:
    check_reaction(text)
