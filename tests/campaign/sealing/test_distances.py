import pyarrow as pa
import pytest

from unnerve.campaign.sealing.distances import check_distances, read_for
from unnerve.core.facts import RegionFacts

NORMS = {"linf": (0.1, 0.1, 0.12), "l2": (1.5, 1.5, 1.51), "l0": (0.25, 16, 18)}


@pytest.mark.parametrize("norm", NORMS)
def test_distances_outside_the_region_are_refused(norm: str) -> None:
    size, inside, outside = NORMS[norm]
    region = RegionFacts({}, f"{norm}:{size}", size=size, norm=norm)
    for far, fits in ((inside, True), (outside, False), (float("nan"), False), (-1.0, False)):
        table = pa.table({norm: pa.array([0.0, float(far)]), "shape": [[1, 8, 8]] * 2})
        if fits:
            check_distances(table, region)
        else:
            with pytest.raises(ValueError, match=f"outside {norm}:{size}"):
                check_distances(table, region)


def test_regions_of_other_measures_are_not_looked_at() -> None:
    for region in (RegionFacts({}, "anything"), RegionFacts({}, "snr:20", size=20, norm="snr")):
        assert read_for(region) == ()
        check_distances(pa.table({"id": ["a"]}), region)
