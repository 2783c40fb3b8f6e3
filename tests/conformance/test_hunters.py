"""Every hunter keeps its promises."""

import pytest

from unnerve.testing.hunters import REGIONS, check_hunter
from unnerve.testing.texts import texts


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("text", texts("hunter"))
def test_keeps_its_promises(text: str, region: str) -> None:
    check_hunter(text, region)
