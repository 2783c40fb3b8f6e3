"""Every score keeps its promises."""

import pytest

from unnerve.testing.scores import check_score
from unnerve.testing.texts import texts


@pytest.mark.parametrize("text", texts("score"))
def test_keeps_its_promises(text: str) -> None:
    check_score(text)
