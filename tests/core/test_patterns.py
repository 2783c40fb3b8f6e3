import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.core.patterns import PatternLimits, Thresholds


def test_limits_are_those_of_table_5() -> None:
    usual = {name: Thresholds().limits(name) for name in ("LL", "HH", "LH", "HL")}
    assert {name: (one.p, one.v) for name, one in usual.items()} == {
        name: (PatternLimits(name).p, PatternLimits(name).v) for name in usual
    }
    assert (usual["LH"].p, usual["LH"].v, usual["LH"].wrong, usual["HL"].wrong) == (0.3, 0.6, False, True)


def test_gaps_are_positive_on_the_wanted_side() -> None:
    limits = PatternLimits("LH")
    assert limits.confidence_gap(torch.tensor([0.1, 0.4])).tolist() == pytest.approx([0.2, -0.1])
    assert limits.uncertainty_gap(torch.tensor([0.1, 0.9])).tolist() == pytest.approx([-0.5, 0.3])


def test_refuses_another_pattern() -> None:
    with pytest.raises(InvalidSetting, match=r"^pattern must be LL, LH, HL or HH, got 'AB'$"):
        Thresholds().limits("AB")
