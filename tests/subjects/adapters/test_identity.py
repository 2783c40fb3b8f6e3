"""What changes the identity of a module, and what does not."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import unnerve
from tests.subjects.adapters.exported.networks import exported
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.subjects.adapters._identity import _programs
from unnerve.subjects.adapters.exported.opening import opened_program
from unnerve.subjects.adapters.torch_module import TorchModule

FILE = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(9.0))

    def forward(self, x):
        lit = self.scale * (x.flatten(1).mean(dim=1) - 0.45)
        return torch.stack([-lit, lit], dim=1)

def build():
    return Net().eval()
"""


class Plain(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x.flatten(1)[:, :3] * 2


class Floored(nn.Module):
    """Answers alike for every floor below zero, as long as no input lies below it."""

    def __init__(self, floor: float) -> None:
        super().__init__()
        self.floor, self.fc = floor, nn.Linear(64, 3)
        nn.init.constant_(self.fc.weight, 0.1)
        nn.init.constant_(self.fc.bias, 0.2)

    def forward(self, x: Tensor) -> Tensor:
        found: Tensor = self.fc(x.flatten(1).clamp(min=self.floor))
        return found


class Branched(Floored):
    """Has a branch, which keeps it from being run as a module of operations."""

    def forward(self, x: Tensor) -> Tensor:
        y = self.fc(x.flatten(1))
        found: Tensor = torch.cond(x.sum() > self.floor, lambda y: y + 1, lambda y: y - 1, (y,))
        return found


def traced(net: nn.Module) -> nn.Module:
    return torch.fx.symbolic_trace(net)


def opened(net: nn.Module) -> nn.Module:
    return opened_program(exported(net, None), "net").module


def opened_for_two(net: nn.Module) -> nn.Module:
    return opened_program(exported(net, 2), "net").module


@pytest.mark.filterwarnings("ignore")  # of torch, about torch
@pytest.mark.parametrize(
    ("made", "net"), [(traced, Floored), (opened, Floored), (opened, Branched), (opened_for_two, Branched)]
)
def test_another_graph_of_the_same_weights_is_another_model(
    made: Callable[[nn.Module], nn.Module], net: type[Floored]
) -> None:
    first, same, other = (made(net(floor).eval()) for floor in (-1.0, -1.0, -2.0))
    x = torch.rand(4, 1, 8, 8)
    assert torch.equal(first(x), other(x))
    assert all(torch.equal(one, first.state_dict()[name]) for name, one in other.state_dict().items())
    one, again, another = (TorchModule(module).identity((1, 8, 8)) for module in (first, same, other))
    assert one == again != another


class Wired(Floored):
    """Adds nothing, of its input or of what is left of it: the same operations, on other values."""

    def forward(self, x: Tensor) -> Tensor:
        flat = x.flatten(1)
        kept = flat.relu()
        found: Tensor = self.fc(kept + 0 * (flat if self.floor else kept).abs())
        return found


def test_other_wires_between_the_same_operations_are_another_model() -> None:
    first, same, other = (opened(Wired(floor).eval()) for floor in (0.0, 0.0, 1.0))
    one, again, another = (TorchModule(module).identity((1, 8, 8)) for module in (first, same, other))
    assert one == again != another


def test_a_forward_that_answers_otherwise_is_another_model() -> None:
    class Net(Plain):
        pass

    first = TorchModule(Net()).identity((4,))
    changed = Net()
    changed.forward = lambda x: x.flatten(1)[:, :3] * 3  # type: ignore[method-assign]
    assert TorchModule(changed).identity((4,)) != first
    assert TorchModule(Net()).identity((4,)) == first


def test_what_a_forward_calls_shows_in_its_answers() -> None:
    factor = [2.0]

    class Net(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.flatten(1)[:, :3] * torch.tensor([factor[0], 1.0, 1.0])

    first = TorchModule(Net()).identity((4,))
    factor[0] = 1.0
    assert TorchModule(Net()).identity((4,)) != first


def test_a_model_that_refuses_probes_still_has_an_identity() -> None:
    class Touchy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            raise ValueError("too random")

    assert len(TorchModule(Touchy()).identity((4,))) == 32


def test_a_model_that_draws_is_recognised() -> None:
    class Noisy(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x.flatten(1)[:, :3] + torch.randn(len(x), 3)

    first = TorchModule(Noisy()).identity((4,))
    torch.rand(7)
    assert TorchModule(Noisy()).identity((4,)) == first


def test_a_changed_forward_is_noticed_on_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The network lies in a package beside the file that is named, whose own content stays the same.
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "layers_of_mine.py").write_text(FILE)
    (tmp_path / "net.py").write_text("from layers_of_mine import build\n")
    images = unnerve.examples((torch.full((4, 1, 3, 3), 0.5), torch.ones(4, dtype=torch.int64)))
    settings = {"region": "linf:0.1", "inputs": 4, "resume": True}
    unnerve.hunt(f"{tmp_path}/net.py:build", images, "fgsm", str(tmp_path / "run"), **settings)
    sys.modules.pop("layers_of_mine", None)
    (tmp_path / "layers_of_mine.py").write_text(FILE.replace("- 0.45", "- 0.45 + 1e-9") + "#")
    with pytest.raises(InvalidSetting, match=r"was begun otherwise \(model\.hash"):
        unnerve.hunt(f"{tmp_path}/net.py:build", images, "fgsm", str(tmp_path / "run"), **settings)


PARTS = """
import functools
import torch
from torch import nn

LIMIT = 0.45
LEVELS = {"low": [0.45, {1, 2}]}
SEEN = 0

@functools.lru_cache
def inner(): return 0.45
def helper(x): return x - inner()
def used(x): return x

class Net(nn.Module):
    gains = [1.0]

    @staticmethod
    def shift(x): return x - 0.45

    @classmethod
    def low(cls): return 0.45

    @property
    def scale(self): return 9.0

    @functools.cached_property
    def more(self): return 1.0

    def forward(self, x):
        global SEEN
        SEEN += 1
        parts = [self.shift(x), helper(x), x - LIMIT, x - LEVELS["low"][0], x - self.low()]
        lit = sum(used(part).flatten(1).mean(dim=1) for part in parts) * self.scale * self.gains[0] * self.more
        return torch.stack([-lit, lit], dim=1)
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def shift(x): return x - 0.45", "def shift(x): return x - 0.45 - 1e-9"),
        ("return 0.45\n\n    @property", "return 0.45 + 1e-9\n\n    @property"),
        ("def scale(self): return 9.0", "def scale(self): return 9.0 + 1e-9"),
        ("def more(self): return 1.0", "def more(self): return 1.0 + 1e-9"),
        ("gains = [1.0]", "gains = [1.0 + 1e-9]"),
        ("LIMIT = 0.45", "LIMIT = 0.45 + 1e-9"),
        ('"low": [0.45', '"low": [0.45 + 1e-9'),
        ("def used(x): return x", "def used(x): return x + 1e-9"),
        ("def inner(): return 0.45", "def inner(): return 0.45 + 1e-9"),
    ],
)
def test_whatever_of_its_file_a_forward_uses_is_part_of_a_model(before: str, after: str, tmp_path: Path) -> None:
    def identity(text: str, name: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        return unnerve.model(f"{tmp_path / name}.py:Net").identity((1, 3, 3))

    assert before in PARTS
    first = identity(PARTS, "first")
    assert identity(PARTS + "\nOTHER = 1  # nobody uses it\n", "same") == first
    assert identity(PARTS.replace(before, after), "changed") != first


def test_a_counter_is_no_part_of_a_model(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(PARTS)
    one = unnerve.model(f"{tmp_path}/net.py:Net")
    first = one.identity((1, 3, 3))
    one.observe(torch.rand(2, 1, 3, 3))
    assert one.identity((1, 3, 3)) == first


def test_networks_of_the_zoo_are_told_as_ever() -> None:
    """Stored campaigns know them by layers, weights and answers alone."""
    net = unnerve.model("zoo:lenet5")
    assert isinstance(net, TorchModule)
    assert not list(_programs(net.module))


def test_another_spelling_of_a_path_is_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(FILE)
    (tmp_path / "other").mkdir()
    images = unnerve.examples((torch.full((4, 1, 3, 3), 0.5), torch.ones(4, dtype=torch.int64)))
    monkeypatch.chdir(tmp_path)
    settings = {"region": "linf:0.1", "inputs": 4, "resume": True}
    spellings = ("net.py:build", "./net.py:build", f"{tmp_path}/other/../net.py:build", f"{tmp_path}/net.py:build")
    rows = [unnerve.hunt(name, images, "fgsm", "run", **settings).findings.num_rows for name in spellings]
    assert rows == [rows[0]] * 4
    with pytest.raises(InvalidSetting, match="was begun otherwise"):
        unnerve.hunt("./net.py:build|bit_depth:3", images, "random", "run", **settings)


def test_a_model_that_does_not_show_itself_is_refused() -> None:
    class Shy(Plain):
        def __repr__(self) -> str:
            raise ValueError("who asks?")

    with pytest.raises(InvalidModel, match=r"must show its layers and weights, but it raised ValueError: who asks\?$"):
        TorchModule(Shy(), "shy").identity((4,))
