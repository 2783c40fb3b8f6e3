"""Every search keeps its promises."""

import pytest

from unnerve.testing.searches import REGIONS, check_search
from unnerve.testing.texts import texts


@pytest.mark.parametrize("region", REGIONS)
@pytest.mark.parametrize("text", texts("search"))
def test_keeps_its_promises(text: str, region: str) -> None:
    check_search(text, region)
