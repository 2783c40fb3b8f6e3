import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.masks import Masks
from unnerve.subjects.adapters._outputs import Answers
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule


class Answering(nn.Module):
    """A module without weights that answers by a function of its input."""

    def __init__(self, answer: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.answer = answer

    def forward(self, x: Tensor) -> Any:
        return self.answer(x)


class Packing(nn.Module):
    """A module that packs another's answer into something."""

    def __init__(self, inner: nn.Module, packed: Callable[[Tensor], Any]) -> None:
        super().__init__()
        self.inner, self.packed = inner, packed

    def forward(self, x: Tensor) -> Any:
        return self.packed(self.inner(x))


def answering(answer: Callable[[Tensor], Any], **more: Any) -> TorchModule:
    return TorchModule(Answering(answer), "mine", **more)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x: (x, x), "mine: output must have shape (2, classes), got 0 (2, 1, 8, 8), 1 (2, 1, 8, 8)"),
        (lambda x: (), "mine: output must have shape (2, classes), got nothing"),
        (lambda x: {"out": x}, "mine: output must have shape (2, classes), got out (2, 1, 8, 8)"),
        (lambda x: x.flatten(1).argmax(dim=1), "mine: output must be probabilities or logits, got 2 class numbers"),
        (
            lambda x: (x.flatten(1), x.flatten(1)[:, :10]),
            "mine returns 0 (2, 64), 1 (2, 10), and each could be the answer; say which: `outputs` 0:auto",
        ),
        (
            lambda x: {"a": x.flatten(1), "b": x.flatten(1)},
            "mine returns a (2, 64), b (2, 64), and each could be the answer; say which: `outputs` a:auto",
        ),
        (lambda x: None, "mine: output must be one tensor of shape (N, classes), got NoneType"),
        (lambda x: x.flatten(1)[:, :0], "mine: output must have shape (2, classes), got (2, 0)"),
        (lambda x: x.flatten(1)[:0], "mine: output must have shape (2, classes), got (0, 64)"),
        (lambda x: x, "mine: output must have shape (2, classes), got (2, 1, 8, 8)"),
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
    with pytest.raises(InvalidSetting, match=r"`outputs` must be one of auto, logits, .*, got 'labels'"):
        answering(lambda x: x, outputs="labels")


def test_answers_wrapped_as_hugging_face_does(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    wrapped = answering(lambda x: SimpleNamespace(logits=tiny_net(x), loss=None))
    assert torch.equal(wrapped.observe(small_images).logits, TorchModule(tiny_net).observe(small_images).logits)


def test_other_precisions_become_float32(small_images: Tensor) -> None:
    seen = answering(lambda x: (x.flatten(1) - 0.5).double()).observe(small_images)
    assert seen.logits.dtype == torch.float32


# Several outputs


@pytest.mark.parametrize(
    "packed",
    [
        lambda y: (y,),
        lambda y: (y, y * 2),
        lambda y: [y, None],
        lambda y: (y.sum(), y, y[:, :, None]),
        lambda y: {"logits": y, "features": y * 2},
        lambda y: {"features": y[:, :, None], "head": y},
        lambda y: {"probs": (y * 3).softmax(dim=1), "labels": y.argmax(dim=1)},
    ],
)
@pytest.mark.parametrize("box", [False, True])
def test_the_answer_is_found_among_several_outputs(
    tiny_net: nn.Sequential, small_images: Tensor, packed: Callable[[Tensor], Any], box: bool
) -> None:
    def arrays(x: np.ndarray) -> Any:
        with torch.no_grad():
            found = packed(tiny_net(torch.from_numpy(x)))
        pairs = found.items() if isinstance(found, dict) else enumerate(found)
        plain = {name: None if part is None else part.numpy() for name, part in pairs}
        return plain if isinstance(found, dict) else type(found)(plain.values())

    model = BlackBox(arrays, "mine") if box else answering(lambda x: packed(tiny_net(x)))
    expected = TorchModule(tiny_net).observe(small_images)
    assert torch.equal(model.observe(small_images).predicted, expected.predicted)
    assert model.observe(small_images).logits.shape == (40, 4)


def test_one_of_several_outputs_is_chosen_by_name_or_number(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    expected = TorchModule(tiny_net).observe(small_images).logits
    packings: dict[str, Callable[[Tensor], Any]] = {
        "1": lambda y: (-y, y),
        "head": lambda y: {"other": -y, "head": y},
    }
    for which, packed in packings.items():
        for form in ("auto", "logits"):
            chosen = TorchModule(Packing(tiny_net, packed), "mine", f"{which}:{form}")
            assert torch.equal(chosen.observe(small_images).logits, expected)
    with pytest.raises(InvalidModel, match=r"mine has no output '2'; it has 0 \(2, 4\), 1 \(2, 4\)"):
        answering(lambda x: (tiny_net(x), tiny_net(x)), outputs="2:auto").observe(small_images)
    with pytest.raises(InvalidModel, match="mine has one output, so `outputs` cannot choose 'head'"):
        answering(tiny_net, outputs="head:auto").observe(small_images)


def test_a_list_of_rows_is_one_output() -> None:
    rows = [[0.25, 0.75], [1.0, 0.0]]
    for answer in (rows, [np.array(row) for row in rows]):
        assert Answers("mine", "auto").checked(answer, 2).tolist() == rows


# One output for two classes


@pytest.mark.parametrize("flat", [False, True])
def test_one_logit_is_a_sigmoid_over_two_classes(small_images: Tensor, flat: bool) -> None:
    def logit(x: Tensor) -> Tensor:
        one = x.mean(dim=(1, 2, 3)) * 8 - 4
        return one if flat else one.unsqueeze(1)

    model, z = answering(logit), logit(small_images).view(-1)
    seen = model.observe(small_images)
    expected = torch.stack([1 - z.sigmoid(), z.sigmoid()], dim=1)
    assert torch.allclose(seen.probabilities.float(), expected, atol=1e-6)
    assert torch.equal(seen.predicted, (z > 0).long())
    _, gradients, _ = model.gradient(small_images, lambda seen, _: seen.logits[:, 1], torch.zeros(40))
    assert torch.allclose(gradients, torch.full_like(gradients, 8 / 64))


def test_one_probability_must_be_said_to_be_one(small_images: Tensor) -> None:
    def sigmoid(x: Tensor) -> Tensor:
        return (x.mean(dim=(1, 2, 3), keepdim=False) * 8 - 4).sigmoid().unsqueeze(1)

    with pytest.raises(InvalidModel, match=r"one output per input, and all lie in \[0, 1\].*`outputs`"):
        answering(sigmoid).observe(small_images)
    seen = answering(sigmoid, outputs="probabilities").observe(small_images)
    assert torch.allclose(seen.probabilities[:, 1:].float(), sigmoid(small_images), atol=1e-6)
    assert torch.allclose(seen.probabilities.sum(dim=1).float(), torch.ones(40))


def test_draws_of_one_logit(small_images: Tensor) -> None:
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 8), nn.Dropout(0.5), nn.Linear(8, 1))
    draws = TorchModule(net, "net", "logits").samples(small_images, Masks(0, tuple(map(str, range(40))), 6))
    assert draws.shape == (6, 40, 2)
    assert torch.allclose(draws.sum(dim=2).float(), torch.ones(6, 40), atol=1e-6)


# Answers of dropout draws


def test_draws_are_checked_as_single_answers_are() -> None:
    answers = Answers("mine", "logits")
    one, two = torch.randn(3, 4), torch.randn(3, 4)
    assert torch.equal(answers.checked_draws([(one, 1), (SimpleNamespace(logits=two), 1)], 3), torch.stack([one, two]))
    with pytest.raises(InvalidModel, match="mine: output has NaN or infinite values"):
        answers.checked_draws([(one, 1), (two * float("nan"), 1)], 3)
    with pytest.raises(InvalidModel, match=re.escape("mine: output must have shape (5, classes), got (3, 4)")):
        answers.checked_draws([(one, 1), (two, 1)], 5)


@pytest.mark.parametrize("odd", [torch.eye(3).to_sparse(), torch.eye(3, device="meta"), torch.eye(3) * 1j])
def test_tensors_that_are_no_plain_numbers_are_refused(odd: torch.Tensor) -> None:
    with pytest.raises(
        InvalidModel, match=r"^net: output must be plain real numbers, got a \w+ .*tensor$|meta tensor$"
    ):
        Answers("net", "logits").checked(odd, 3)


def test_as_many_classes_each_time() -> None:
    answers = Answers("net", "logits")
    answers.checked(torch.eye(3), 3)
    with pytest.raises(InvalidModel, match=r"^net: output must have as many classes each time, got 2 after 3$"):
        answers.checked(torch.eye(3)[:, :2], 3)
