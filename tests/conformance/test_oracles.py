"""Every oracle keeps its promises."""

import pytest

from unnerve.testing.oracles import check_oracle
from unnerve.testing.texts import texts


@pytest.mark.parametrize("text", texts("oracle"))
def test_keeps_its_promises(text: str) -> None:
    check_oracle(text)
