"""Networks with dropout in all the ways that people write it, and the plain loop that draws are compared with."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from unnerve.core.masks import Masks
from unnerve.subjects.adapters._passes import padded
from unnerve.subjects.adapters.dropout._batch_axes import BatchAxis
from unnerve.subjects.adapters.dropout._dropout_apply import MaskedDropout
from unnerve.subjects.adapters.dropout._dropout_calls import DropoutCalls
from unnerve.subjects.adapters.dropout._masks import Drop

NETWORKS: dict[str, Callable[[], nn.Module]] = {}


def network(build: Callable[[], nn.Module]) -> Callable[[], nn.Module]:
    NETWORKS[build.__name__.lower()] = build
    return build


class Plain(TorchFunctionMode):
    """One whole pass with the masks of one draw: nothing is reused."""

    def __init__(self, dropout: MaskedDropout, draw: int, batch_axes: Sequence[BatchAxis]) -> None:
        super().__init__()
        self.dropout, self.draw, self.batch_axes, self.call = dropout, draw, batch_axes, 0

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        replacement = DropoutCalls().replacement(func, args, kwargs or {})
        return func(*args, **(kwargs or {})) if replacement is None else replacement(self.apply)

    def apply(self, x: Tensor, drop: Drop) -> Tensor:
        batch = self.batch_axes[self.call] if self.batch_axes else BatchAxis(0)
        self.call += 1
        return self.dropout(x, drop, batch, self.call - 1, self.draw)


def plain_loop(module: nn.Module, x: Tensor, masks: Masks, batch_axes: Sequence[BatchAxis] = ()) -> Tensor:
    """Return the answers of T whole passes over at least 32 rows, shape (T, N, C)."""
    rows = padded(x, 32)
    answers = []
    for draw in range(masks.draws):
        with torch.no_grad(), Plain(MaskedDropout(masks, len(rows), x.device), draw, batch_axes):
            answers.append(module.eval()(rows.clone())[: len(x)])
    return torch.stack(answers).softmax(dim=-1)


@network
class Sequence1(nn.Sequential):
    def __init__(self) -> None:
        super().__init__(
            nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(192, 9), nn.Tanh(),
            nn.Dropout(0.4), nn.Linear(9, 4),
        )  # fmt: skip


@network
class Residual(nn.Module):
    """The skipped connection comes from before the dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        self.norm, self.drop, self.last = nn.BatchNorm2d(4), nn.Dropout2d(0.4), nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.relu(self.first(x))
        out = self.norm(self.second(self.drop(x)))
        out += x
        skipped: Tensor = self.last(functional.relu(out).mean((2, 3)))
        return skipped


@network
class Branching(nn.Module):
    """Two branches, of which one has dropout; the other is finished later."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.left, self.right = nn.Linear(64, 16), nn.Linear(16, 8), nn.Linear(16, 8)
        self.last = nn.Linear(24, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.stem(x.flatten(1)).tanh()
        left = functional.dropout(self.left(x), 0.5, self.training)
        one, two = self.right(x).chunk(2, dim=1)
        values, _ = torch.stack([one, two]).max(dim=0)
        joined: Tensor = self.last(torch.cat([left, values, one, two, one * 2], dim=1))
        return joined


@network
class Shared(nn.Module):
    """One layer, one dropout and one activation, each called several times."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.drop, self.last = nn.Linear(64, 64), nn.Dropout(0.2), nn.Linear(64, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x = self.act(self.layer(x.flatten(1)))
        for _ in range(3):
            x = self.drop(self.act(self.layer(x))) + x
        answer: Tensor = self.last(x)
        return answer


@network
class InPlace(nn.Module):
    """Writes over what it has, the input too, before and after dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last, self.drop = nn.Linear(64, 16), nn.Linear(16, 4), nn.Dropout(0.5, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        x.sub_(0.5)
        x = self.layer(x.flatten(1))
        view = x[:, 4:]
        x.relu_()
        early = view * 2
        self.drop(x)  # what it returns is not used
        view.add_(1)
        x[:, 0] = early[:, 0]
        answer: Tensor = self.last(x)
        return answer + early.sum(dim=1, keepdim=True) + view[:, :1]


@network
class InPlaceHead(nn.Module):
    """The first dropout overwrites what was made before it, which every draw needs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(64, 16), nn.Linear(16, 4)
        self.act, self.drop = nn.ReLU(inplace=True), nn.Dropout(0.5, inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.last(self.drop(self.act(self.layer(x.flatten(1)))))
        return answer


@network
class WritesLater(nn.Module):
    """Clean memory is read under dropout first and overwritten afterwards."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(64, 16), nn.Linear(16, 4)

    def forward(self, x: Tensor) -> Tensor:
        clean = self.layer(x.flatten(1))
        dropped = functional.dropout(clean, 0.5, training=self.training)
        clean.mul_(3)
        doubled = clean + clean
        clean += dropped
        x.mul_(0)
        answer: Tensor = self.last(clean) + self.last(doubled) + x.flatten(1)[:, :4]
        return answer


@network
class Functional(nn.Module):
    """Functions only, in all their forms."""

    def __init__(self) -> None:
        super().__init__()
        self.kernel = nn.Parameter(torch.randn(4, 1, 3, 3))
        self.weights = nn.Parameter(torch.randn(4, 36))

    def forward(self, x: Tensor) -> Tensor:
        x = functional.conv2d(x, self.kernel)
        x = functional.dropout2d(x, 0.25, self.training)
        x = functional.max_pool2d(x, 2)
        x = functional.alpha_dropout(functional.selu(x), 0.2, self.training)
        x = functional.feature_alpha_dropout(x, 0.1, self.training)
        x = torch.dropout(x, 0.1, False)
        torch.dropout_(x, 0.1, False)
        x = functional.dropout(x, p=0.0, training=self.training)
        return x.flatten(1) @ self.weights.T


@network
class Looks(nn.Module):
    """Looks at values and takes another way by what it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(64, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = x.flatten(1)
        if x.max() <= 2:
            x = x * 2
        clean = self.layer(x)
        dropped = functional.dropout(clean, 0.5, self.training)
        factor = dropped.mean().item()
        if factor > 0:
            clean = clean.sin() * factor
        answer: Tensor = self.last(clean) + self.last(dropped)
        return answer


@network
class Numpy(nn.Module):
    """Leaves torch for a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(64, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = functional.dropout(self.layer(x.flatten(1)), 0.5, self.training)
        answer: Tensor = self.last(torch.from_numpy(x.detach().numpy() * 2))
        return answer


@network
class Rows(nn.Module):
    """Iterates over a clean tensor, and makes tensors out of nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last = nn.Linear(8, 8), nn.Linear(8, 4)

    def forward(self, x: Tensor) -> Tensor:
        steps = [self.layer(step.squeeze(0)) for step in x.permute(2, 1, 0, 3)]
        dropped = [functional.dropout(step, 0.3, self.training) for step in steps[:3]]
        ramp = torch.arange(8) / 8
        answer: Tensor = self.last(torch.stack(dropped + steps[3:]).amax(dim=0) + ramp)
        return answer


class _Transformer(nn.Module):
    def __init__(self, batch_first: bool, norm_first: bool) -> None:
        super().__init__()
        self.batch_first = batch_first
        self.embed = nn.Linear(8, 12)
        self.position = nn.Parameter(torch.randn(8, 12))
        self.block = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.2, batch_first=batch_first, norm_first=norm_first)
        self.look = nn.MultiheadAttention(12, 2, dropout=0.3, batch_first=batch_first)
        self.last = nn.Linear(12, 4)

    def forward(self, x: Tensor) -> Tensor:
        x = self.embed(x.squeeze(1))
        x = x + functional.dropout(self.position, 0.1, self.training)
        x = x if self.batch_first else x.transpose(0, 1)
        x = self.block(x)
        x = x + self.look(x, x, x)[0]
        answer: Tensor = self.last(x.mean(dim=1 if self.batch_first else 0))
        return answer


@network
def transformer() -> nn.Module:
    return _Transformer(batch_first=True, norm_first=False)


@network
def transformer_of_steps() -> nn.Module:
    """Return one whose batch is the second axis."""
    return _Transformer(batch_first=False, norm_first=True)


@network
class Folded(nn.Module):
    """Folds steps into the batch: once each input's steps together, once each step's inputs."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.last, self.drop = nn.Linear(8, 6), nn.Linear(6, 4), nn.Dropout(0.4)

    def forward(self, x: Tensor) -> Tensor:
        count = len(x)
        together = self.drop(self.layer(x.reshape(count * 8, 8))).view(count, 8, 6).sum(dim=1)
        apart = self.drop(self.layer(x.squeeze(1).transpose(0, 1).reshape(8 * count, 8))).view(8, count, 6).sum(dim=0)
        answer: Tensor = self.last(together - apart.tanh())
        return answer
