"""What holds for every region, whatever is projected into it."""

from math import log10
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch import Tensor

from unnerve.core.methods import Space
from unnerve.core.naming.catalogue import names
from unnerve.core.streams import Streams
from unnerve.generate.perturbations.affine import Affine
from unnerve.generate.regions.l0 import L0
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.lineage import Lineage
from unnerve.generate.regions.linf import Linf
from unnerve.generate.regions.semantic import Semantic
from unnerve.generate.regions.snr import SNR

SIZES: dict[str, Any] = {
    "l0": st.floats(0.01, 1),
    "l2": st.floats(0.01, 5),
    "lineage": st.floats(0.01, 1),
    "linf": st.floats(0.001, 1),
    "semantic": st.floats(0.001, 1),
    "snr": st.floats(0.001, 1),
}
REGIONS: dict[str, Any] = {
    "l0": L0,
    "l2": L2,
    "lineage": lambda size: Lineage(Affine(), 0.0, size),
    "linf": Linf,
    "semantic": lambda size: Semantic(slack=size),
    "snr": lambda size: SNR(-20 * log10(size)),
}
every_region = pytest.mark.parametrize("name", sorted(REGIONS))
bounded = settings(max_examples=60)


@st.composite
def seeds_and_points(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    shape = draw(st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5), st.integers(1, 5)))
    centre = draw(arrays(np.float32, shape, elements=st.floats(0, 1, width=32)))
    x = draw(arrays(np.float32, shape, elements=st.floats(-4, 4, width=32)))
    return torch.from_numpy(centre), torch.from_numpy(x)


def test_every_region_is_here() -> None:
    # The region spread needs what is known of a table's columns; tests/generate/regions has its properties.
    assert set(names("region")) - {"spread"} == set(REGIONS)


@every_region
@given(both=seeds_and_points(), data=st.data())
@bounded
def test_what_is_projected_is_inside(name: str, both: tuple[Tensor, Tensor], data: Any) -> None:
    region: Space = REGIONS[name](data.draw(SIZES[name]))
    centre, x = both
    kept = centre.clone()
    assert bool(region.contains(region.project(x, centre), centre).all())
    assert torch.equal(centre, kept)


@every_region
@given(both=seeds_and_points(), data=st.data())
@bounded
def test_projecting_twice_is_projecting_once(name: str, both: tuple[Tensor, Tensor], data: Any) -> None:
    region: Space = REGIONS[name](data.draw(SIZES[name]))
    centre, x = both
    once = region.project(x, centre).clone()
    assert torch.allclose(region.project(x, centre), once, rtol=0, atol=1e-6)


@every_region
@given(both=seeds_and_points(), data=st.data())
@bounded
def test_the_seed_is_inside_and_stays(name: str, both: tuple[Tensor, Tensor], data: Any) -> None:
    region: Space = REGIONS[name](data.draw(SIZES[name]))
    centre = both[0]
    assert bool(region.contains(centre, centre).all())
    assert torch.allclose(region.project(centre.clone(), centre), centre, rtol=0, atol=1e-7)


@every_region
@given(both=seeds_and_points(), data=st.data())
@bounded
def test_samples_are_inside(name: str, both: tuple[Tensor, Tensor], data: Any) -> None:
    region: Space = REGIONS[name](data.draw(SIZES[name]))
    centre = both[0]
    streams = Streams(data.draw(st.integers(0, 2**64 - 1)), map(str, range(len(centre))))
    samples = region.samples(centre, streams, 3, 2)
    assert all(bool(region.contains(sample, centre).all()) for sample in samples.unbind(dim=1))


@every_region
@given(both=seeds_and_points(), data=st.data())
@bounded
def test_a_larger_region_holds_all_of_a_smaller_one(name: str, both: tuple[Tensor, Tensor], data: Any) -> None:
    small = data.draw(SIZES[name])
    large = data.draw(SIZES[name].filter(lambda size: size >= small))
    centre, x = both
    REGIONS[name](small).project(x, centre)
    assert bool(REGIONS[name](large).contains(x, centre).all())


@given(both=seeds_and_points(), radius=SIZES["linf"])
@bounded
def test_linf_projects_to_the_nearest_point(both: tuple[Tensor, Tensor], radius: float) -> None:
    centre, x = both
    nearest = torch.minimum(torch.maximum(x, (centre - radius).clamp(0, 1)), (centre + radius).clamp(0, 1))
    assert torch.allclose(Linf(radius).project(x, centre), nearest, rtol=0, atol=1e-6)
