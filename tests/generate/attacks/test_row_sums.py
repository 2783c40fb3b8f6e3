from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from unnerve.generate.attacks._row_sums import row_sums


@pytest.fixture
def two_threads() -> Iterator[None]:
    """Let torch use two threads, as it does for a user."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("shape", [(3, 1), (3, 2), (2, 5), (4, 1, 3, 3), (1, 2, 8, 8)])
def test_by_hand_small_integers(shape: tuple[int, ...]) -> None:
    x = torch.arange(float(torch.Size(shape).numel())).view(shape)
    assert row_sums(x).tolist() == x.flatten(1).sum(dim=1).tolist()
    assert torch.equal(x, torch.arange(float(x.numel())).view(shape)), "left as it was"


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize("size", [10, 784, 40_001])
def test_a_row_gets_the_same_bits_alone_and_in_company(size: int) -> None:
    x = torch.randn(6, size, generator=torch.Generator().manual_seed(0))
    together = row_sums(x)
    assert all(torch.equal(row_sums(row.unsqueeze(0)), total.view(1)) for row, total in zip(x, together, strict=True))
    assert torch.allclose(together, x.double().sum(dim=1).float(), atol=1e-3)


def test_the_memory_layout_does_not_matter() -> None:
    x = torch.randn(6, 3, 16, 16, generator=torch.Generator().manual_seed(0))
    layouts: list[Tensor] = [x, x.to(memory_format=torch.channels_last), x.transpose(0, 1).contiguous().transpose(0, 1)]
    assert all(torch.equal(row_sums(one), row_sums(x)) for one in layouts)
