from dataclasses import dataclass

import pytest

from unnerve.core.errors import InvalidSetting
from unnerve.core.fitting import fits, require_region
from unnerve.core.naming.catalogue import build


@pytest.mark.parametrize(
    ("hunter", "region", "fitting"),
    [
        ("pgd", "linf:0.1", True),
        ("pgd", "l2:0.1", True),
        ("pgd", "l0:0.1", False),
        ("square", "l2:0.1", True),
        ("square", "l0:0.1", False),
        ("random", "l0:0.1", True),
    ],
)
def test_hunters_fit_into_the_regions_that_they_name(hunter: str, region: str, fitting: bool) -> None:
    method, space = build("hunter", hunter), build("region", region)
    assert fits(method, space) == fitting
    if fitting:
        require_region(method, space)
    else:
        with pytest.raises(InvalidSetting, match=rf"^{hunter} works in linf or l2, got l0$"):
            require_region(method, space)


def test_a_ball_of_any_name_fits_who_takes_every_ball() -> None:
    linf = build("region", "linf:0.1")

    @dataclass(frozen=True)
    class Diamond(type(linf)):  # type: ignore[misc]
        """Somebody else's ball."""

    assert fits(build("hunter", "pgd"), Diamond(0.1))
    assert not fits(build("hunter", "square"), Diamond(0.1))
