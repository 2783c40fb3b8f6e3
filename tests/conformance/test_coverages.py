"""Every coverage criterion keeps its promises."""

import pytest

from unnerve.testing.coverages import check_coverage
from unnerve.testing.texts import texts


@pytest.mark.parametrize("text", texts("coverage"))
def test_keeps_its_promises(text: str) -> None:
    check_coverage(text)
