import torch
from torch import Tensor, nn

from unnerve.core.model import Differentiable, Instrumented, Observation, Want
from unnerve.core.wrappers.searched import Searched
from unnerve.subjects.adapters.torch_module import TorchModule


def constant(value: float) -> TorchModule:
    """Return a model whose logits tell it from others: value times the inputs."""
    dense = nn.Linear(3, 3, bias=False)
    with torch.no_grad():
        dense.weight.copy_(value * torch.eye(3))
    return TorchModule(dense, f"times {value:g}", outputs="logits")


def first(seen: Observation, _targets: Tensor) -> Tensor:
    return seen.logits[:, 0]


def test_the_copy_answers_where_logits_and_gradients_are_asked_and_nowhere_else() -> None:
    x, targets = torch.ones(2, 3), torch.zeros(2)
    both = Searched(constant(2), constant(5))
    assert both.observe(x).logits[0].tolist() == [5, 5, 5]
    assert both.gradient(x, first, targets)[1][0].tolist() == [5, 0, 0]
    assert both.observe(x, Want.NEURONS).logits[0].tolist() == [2, 2, 2]
    assert both.observe(x, Want.RANGES).ranges[0].tolist() == [[2, 2]]
    assert both.gradient(x, first, targets, Want.NEURONS)[1][0].tolist() == [2, 0, 0]


def test_it_is_the_model_in_all_else() -> None:
    exact = constant(2)
    both = Searched(exact, constant(5))
    assert (both.name, both.offers, both.identity((3,))) == (exact.name, exact.offers, exact.identity((3,)))
    assert isinstance(both, Differentiable)
    assert isinstance(both, Instrumented)


def test_memory_that_ran_out_in_either_is_told() -> None:
    class Short(TorchModule):
        rows: int | None = None

        @property
        def halved(self) -> int | None:
            return self.rows

    def told(*rows: int | None) -> int | None:
        exact, quick = Short(nn.Linear(3, 3)), Short(nn.Linear(3, 3))
        exact.rows, quick.rows = rows
        return Searched(exact, quick).halved

    assert (told(None, None), told(8, None), told(None, 4), told(8, 4)) == (None, 8, 4, 4)
