"""A module that runs out of memory."""

from torch import Tensor, nn


class Greedy(nn.Module):
    """A module that runs out of memory above some rows, and remembers the sizes that it could do."""

    def __init__(self, most: int, problem: Exception) -> None:
        super().__init__()
        self.most, self.problem = most, problem
        self.sizes: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        if len(x) > self.most:
            raise self.problem
        self.sizes.append(len(x))
        return x.flatten(1)[:, :3] - 0.5


ALLOCATOR = RuntimeError("[enforce fail] . DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes.")
