import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters.torch_module import TorchModule


class Answering(nn.Module):
    """A module without weights that answers by a function of its input."""

    def __init__(self, answer: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, x: Tensor) -> Any:
        return self.answer(x)


def answering(answer: Callable[[Tensor], Any], **more: Any) -> TorchModule:
    return TorchModule(Answering(answer), "mine", **more)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (x.flatten(1), x), "mine: output must be one tensor of shape (N, classes), got tuple"),
        (lambda x: [x.flatten(1), x.flatten(1)], "mine: output must have shape (2, classes >= 2), got (2, 2, 64)"),
        (lambda x: {"out": x}, "mine: output must be one tensor of shape (N, classes), got dict"),
        (lambda x: None, "mine: output must be one tensor of shape (N, classes), got NoneType"),
        (lambda x: x.sum(dim=(1, 2, 3)), "mine: output must have shape (2, classes >= 2), got (2,)"),
        (lambda x: x.flatten(1)[:, :1], "mine: output must have shape (2, classes >= 2), got (2, 1)"),
        (lambda x: x.flatten(1)[:0], "mine: output must have shape (2, classes >= 2), got (0, 64)"),
        (lambda x: x, "mine: output must have shape (2, classes >= 2), got (2, 1, 8, 8)"),
        (lambda x: x.flatten(1) * float("nan"), "mine: output has NaN or infinite values"),
        (lambda x: x.flatten(1) / 0, "mine: output has NaN or infinite values"),
        (lambda x: 1 / 0, "mine raised ZeroDivisionError on inputs of shape (2, 1, 8, 8): division by zero"),
        (lambda x: x.view(-1, 7), "mine raised RuntimeError on inputs of shape (2, 1, 8, 8): "),
        (lambda x: next(iter([])), "mine raised StopIteration on inputs of shape (2, 1, 8, 8): no message"),
    ],
)
def test_one_clear_line_for_every_strange_answer(
    small_images: Tensor, answer: Callable[[Tensor], Any], words: str
) -> None:
    for ask in (answering(answer).observe, answering(answer).neuron_map):
        with pytest.raises(InvalidModel) as error:
            ask(small_images.clamp_min(0.01))
        assert str(error.value).startswith(words)
        assert "\n" not in str(error.value)


def test_modules_that_squeeze_a_single_row_work(small_images: Tensor) -> None:
    seen = answering(lambda x: (x.flatten(1)[:, :3] - 0.5).squeeze()).observe(small_images[:1])
    assert torch.equal(seen.logits, small_images[:1].flatten(1)[:, :3] - 0.5)


def test_a_late_nan_is_found(small_images: Tensor) -> None:
    model = answering(lambda x: (x.flatten(1) - 0.5).log2() if len(x) > 2 else x.flatten(1) - 0.5)
    with pytest.raises(InvalidModel, match="mine: output has NaN or infinite values"):
        model.observe(small_images)


def test_sigmoids_are_neither_logits_nor_probabilities(small_images: Tensor) -> None:
    with pytest.raises(InvalidModel, match=r"outputs lie in \[0, 1\] but rows do not sum to one.*`outputs`"):
        answering(lambda x: x.flatten(1).sigmoid()).observe(small_images)
    forced = answering(lambda x: x.flatten(1).sigmoid(), outputs="logits")
    assert torch.equal(forced.observe(small_images).logits, small_images.flatten(1).sigmoid())


def test_logits_are_recognised_by_a_whole_batch_not_by_its_first_row(small_images: Tensor) -> None:
    small_images[0] = 0.3
    model = answering(lambda x: x.flatten(1)[:, :2] * 4 - 1)
    seen = model.observe(small_images)
    assert seen.logits[0].tolist() == pytest.approx([0.2, 0.2]), "by this row alone it could be either"
    assert torch.allclose(seen.logits, small_images.flatten(1)[:, :2] * 4 - 1)


def test_probabilities_are_recognised(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    plain = TorchModule(tiny_net).observe(small_images)
    seen = TorchModule(nn.Sequential(tiny_net, nn.Softmax(dim=1))).observe(small_images)
    assert torch.allclose(seen.probabilities, plain.probabilities, atol=1e-6)
    assert torch.allclose(seen.logits.exp(), plain.probabilities.float(), atol=1e-6)


def test_certainty_has_finite_logits(small_images: Tensor) -> None:
    seen = answering(lambda x: torch.eye(3)[torch.zeros(len(x), dtype=torch.int64)]).observe(small_images)
    assert bool(torch.isfinite(seen.logits).all())
    certain = torch.tensor([[1.0, 0.0, 0.0]], dtype=torch.float64).expand(40, 3)
    assert torch.allclose(seen.probabilities, certain, rtol=0, atol=1e-30)


def test_probabilities_that_stop_being_some_are_refused(small_images: Tensor) -> None:
    model = answering(lambda x: torch.eye(2)[torch.zeros(len(x), dtype=torch.int64)] * (1 + (x.amax() > 2)))
    model.observe(small_images)
    with pytest.raises(InvalidModel, match="outputs must be probabilities, but rows are negative or do not sum to one"):
        model.observe(small_images + 2)


def test_what_the_user_says_of_outputs_goes_first(small_images: Tensor) -> None:
    uniform = answering(lambda x: torch.full((len(x), 4), 0.25), outputs="logits")
    assert torch.equal(uniform.observe(small_images).logits, torch.full((40, 4), 0.25))
    with pytest.raises(InvalidModel, match="outputs must be probabilities"):
        answering(lambda x: x.flatten(1) - 2, outputs="probabilities").observe(small_images)
    with pytest.raises(InvalidSetting, match="outputs must be one of auto, logits, probabilities, got 'labels'"):
        answering(lambda x: x, outputs="labels")


def test_answers_wrapped_as_hugging_face_does(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    wrapped = answering(lambda x: SimpleNamespace(logits=tiny_net(x), loss=None))
    assert torch.equal(wrapped.observe(small_images).logits, TorchModule(tiny_net).observe(small_images).logits)


def test_other_precisions_become_float32(small_images: Tensor) -> None:
    seen = answering(lambda x: (x.flatten(1) - 0.5).double()).observe(small_images)
    assert seen.logits.dtype == torch.float32


# Answers of dropout draws


def test_draws_are_checked_as_single_answers_are() -> None:
    answers = Answers("mine", "logits")
    one, two = torch.randn(3, 4), torch.randn(3, 4)
    assert torch.equal(answers.checked_draws([one, SimpleNamespace(logits=two)], 3), torch.stack([one, two]))
    with pytest.raises(InvalidModel, match="mine: output has NaN or infinite values"):
        answers.checked_draws([one, two * float("nan")], 3)
    with pytest.raises(InvalidModel, match=re.escape("mine: output must have shape (5, classes >= 2), got (3, 4)")):
        answers.checked_draws([one, two], 5)
