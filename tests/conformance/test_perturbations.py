"""Every perturbation keeps its promises."""

import pytest

from unnerve.testing.perturbations import SHAPES, check_perturbation
from unnerve.testing.texts import texts


@pytest.mark.parametrize("shape", SHAPES, ids=["grey", "colour"])
@pytest.mark.parametrize("text", texts("perturbation"))
def test_keeps_its_promises(text: str, shape: tuple[int, ...]) -> None:
    check_perturbation(text, shape)
