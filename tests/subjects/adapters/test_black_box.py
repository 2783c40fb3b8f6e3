from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.model import Capability, Want
from unnerve.subjects.adapters.black_box import BlackBox


def brightness(x: np.ndarray) -> np.ndarray:
    """Answer how bright an image is, and how dark."""
    bright = x.reshape(len(x), -1).mean(axis=1)
    return np.stack([1 - bright, bright], axis=1)


def test_probabilities_go_through(small_images: Tensor) -> None:
    seen = BlackBox(brightness).observe(small_images)
    bright = small_images.mean(dim=(1, 2, 3))
    assert torch.allclose(seen.probabilities[:, 1].float(), bright, atol=1e-5)
    assert torch.allclose(seen.logits, torch.stack([1 - bright, bright], dim=1).log(), atol=1e-5)
    assert torch.equal(seen.predicted, (bright > 0.5).long())


def test_logits_go_through(small_images: Tensor) -> None:
    model = BlackBox(lambda x: x.reshape(len(x), -1)[:, :3] * 10 - 5)
    assert torch.allclose(model.observe(small_images).logits, small_images.flatten(1)[:, :3] * 10 - 5)


def test_the_function_sees_writable_float32_arrays_in_batches(small_images: Tensor) -> None:
    seen: list[tuple[int, ...]] = []

    def spoil(x: np.ndarray) -> np.ndarray:
        assert isinstance(x, np.ndarray)
        assert x.dtype == np.float32
        seen.append(x.shape)
        answer = brightness(x)
        x[:] = 0
        return answer

    before = small_images.clone()
    BlackBox(spoil, batch=16).observe(small_images)
    assert seen == [(16, 1, 8, 8), (16, 1, 8, 8), (8, 1, 8, 8)]
    assert torch.equal(small_images, before)


BUFFER = np.empty((16, 2))


def reused(x: np.ndarray) -> np.ndarray:
    BUFFER[: len(x)] = brightness(x)
    return BUFFER[: len(x)]


def read_only(x: np.ndarray) -> np.ndarray:
    answer = brightness(x)
    answer.setflags(write=False)
    return answer


@pytest.mark.parametrize(
    "function",
    [
        lambda x: brightness(x).tolist(),
        lambda x: torch.from_numpy(brightness(x)),
        lambda x: brightness(x)[:, ::-1][:, ::-1],
        lambda x: brightness(x).astype(np.float16),
        read_only,
        reused,
    ],
)
def test_takes_answers_in_many_forms(small_images: Tensor, function: Callable[[np.ndarray], object]) -> None:
    seen = BlackBox(function, batch=16).observe(small_images)
    assert torch.allclose(seen.probabilities[:, 1].float(), small_images.mean(dim=(1, 2, 3)), atol=1e-3)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda x: 1 / 0, "box raised ZeroDivisionError: division by zero"),
        (lambda x: x.argmax(axis=1), "box: output must have shape (40, classes), got (40, 8, 8)"),
        (lambda x: brightness(x)[:3], "box: output must have shape (40, classes), got (3, 2)"),
        (lambda x: brightness(x) * np.nan, "box: output has NaN or infinite values"),
        (lambda x: brightness(x) / 2, "box: outputs lie in [0, 1] but rows do not sum to one"),
        (lambda x: (None, x), "box: output must have shape (40, classes), got 0 NoneType, 1 (40, 1, 8, 8)"),
        (lambda x: None, "box: output must be one tensor of shape (N, classes), got NoneType"),
        (lambda x: [["a", "b"]] * len(x), "box: output must be one tensor of shape (N, classes), got list"),
        (lambda x: [[0.5, 0.5], [1.0]], "box: output must be one tensor of shape (N, classes), got list"),
    ],
)
def test_one_clear_line_for_every_strange_answer(
    small_images: Tensor, function: Callable[[np.ndarray], object], words: str
) -> None:
    with pytest.raises(InvalidModel) as error:
        BlackBox(function, "box").observe(small_images)
    assert str(error.value).startswith(words)


def test_has_neither_neurons_nor_gradients(small_images: Tensor) -> None:
    box = BlackBox(brightness)
    assert box.offers == Capability.ANSWERS
    with pytest.raises(InvalidModel, match="brightness is a black box: its neurons cannot be watched"):
        box.observe(small_images, Want.NEURONS)


def test_refuses_an_empty_pass(small_images: Tensor) -> None:
    with pytest.raises(InvalidData, match="brightness: a pass needs at least one input"):
        BlackBox(brightness).observe(small_images[:0])


def test_is_named_after_its_function() -> None:
    class Judge:
        def __call__(self, x: np.ndarray) -> np.ndarray:
            return brightness(x)

    assert [BlackBox(brightness).name, BlackBox(brightness, "mine").name, BlackBox(Judge()).name] == [
        "brightness",
        "mine",
        "Judge",
    ]


def test_is_identified_by_its_answers() -> None:
    first = BlackBox(brightness).identity((1, 8, 8))
    assert BlackBox(lambda x: brightness(x).tolist(), "another name").identity((1, 8, 8)) == first
    assert BlackBox(lambda x: brightness(x)[:, ::-1]).identity((1, 8, 8)) != first
    assert BlackBox(brightness).identity((1, 9, 9)) != first


@pytest.mark.usefixtures("random_state_stays")
def test_probing_leaves_the_global_random_state() -> None:
    BlackBox(brightness).identity((1, 8, 8))
