import pytest
import torch

from unnerve.subjects.memory_format import channels_last


@pytest.mark.parametrize("shape", [(5, 1, 3, 4), (5, 3, 4, 2), (5, 1, 1, 1), (5, 2, 1, 1)])
def test_channels_are_innermost_and_values_the_same(shape: tuple[int, ...]) -> None:
    # Rows of a larger tensor, so that they do not begin where the memory does.
    x = torch.rand((7, *shape[1:]))[2:]
    arranged = channels_last(x)
    assert torch.equal(arranged, x)
    assert arranged.stride(1) == 1


def test_a_single_channel_needs_no_copy() -> None:
    x = torch.rand(5, 1, 3, 4)
    assert channels_last(x).data_ptr() == x.data_ptr()
