"""Networks to export, with inputs for them."""

import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["NETWORKS", "Branching", "exported"]


class Block(nn.Module):
    """A residual block whose activation is a function."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2d(4)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x + self.norm(self.conv(x)))


class Residual(nn.Module):
    """Layers, functions, an addition, a view by the batch size, and dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.relu, self.block = nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), Block()
        self.drop, self.fc = nn.Dropout(0.3), nn.Linear(64, 3)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.max_pool2d(self.block(self.relu(self.conv1(x))), 2)
        found: Tensor = self.fc(self.drop(x.view(x.shape[0], -1)))
        return found


class Tokens(nn.Module):
    """A small transformer that returns a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.first = nn.Conv2d(1, 16, 4, 4), nn.Parameter(torch.zeros(1, 1, 16))
        self.encoder = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True, norm_first=True)
        self.head = nn.Linear(16, 5)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        x = self.embed(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.first.expand(x.shape[0], -1, -1), x], dim=1)
        return {"logits": self.head(self.encoder(x)[:, 0])}


class Recurrent(nn.Module):
    """An LSTM, whose state has the batch size in its shape."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.fc = nn.LSTM(8, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.fc(self.lstm(x.squeeze(1))[0][:, -1])
        return found


class Shared(nn.Module):
    """Layers that are called twice, and a weight of the module's own beside a layer called like its operation."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.r, self.linear = nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3)
        self.w = nn.Parameter(torch.randn(64, 64) / 8)

    def forward(self, x: Tensor) -> Tensor:
        x = self.r(self.a(self.r(self.a(x.flatten(1)))))
        found: Tensor = self.linear(functional.linear(x, self.w))
        return found


class Branching(nn.Module):
    """A branch that depends on values: a call that has no name of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(64, 3)

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x.flatten(1))
        found: Tensor = torch.cond(x.sum() > 0, lambda y: y + 1, lambda y: y - 1, (y,))
        return found


NETWORKS: dict[str, Callable[[], nn.Module]] = {
    "residual": Residual,
    "tokens": Tokens,
    "recurrent": Recurrent,
    "shared": Shared,
}


def exported(net: nn.Module, batch: int | None, path: Path | None = None) -> torch.export.ExportedProgram:
    """Export a network of images (N, 1, 8, 8) for any or for a fixed number of inputs, by way of a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shapes = ({0: torch.export.Dim("batch")},) if batch is None else None
        program = torch.export.export(net, (torch.rand(batch or 2, 1, 8, 8),), dynamic_shapes=shapes)
        if path is None:
            return program
        torch.export.save(program, path)
        return torch.export.load(path)
