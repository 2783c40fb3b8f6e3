"""What a GPU would meet, on a device that computes on the processor and refuses tensors from the other side."""

import copy
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import unnerve
from tests.subjects.second_device import SecondDevice, There
from unnerve.core.masks import Masks
from unnerve.core.model import Observation, Want
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors
from unnerve.subjects.models import model


@pytest.fixture
def second() -> Iterator[SecondDevice]:
    with SecondDevice() as opened:
        yield opened


@pytest.fixture
def here(tiny_net: nn.Module) -> TorchModule:
    subject = model(copy.deepcopy(tiny_net), outputs="logits")
    assert isinstance(subject, TorchModule)
    return subject


@pytest.fixture
def there(tiny_net: nn.Module, second: SecondDevice) -> TorchModule:
    moved = model(tiny_net, device="lazy", outputs="logits")
    assert isinstance(moved, TorchModule)
    assert {parameter.device.type for parameter in moved.module.parameters()} == {"lazy"}
    second.calls = 0
    return moved


def of_class(seen: Observation, targets: Tensor) -> Tensor:
    return seen.logits.gather(1, targets.unsqueeze(1)).squeeze(1)


def test_the_second_device_is_one(second: SecondDevice) -> None:
    x = torch.rand(3)
    moved = x.to("lazy")
    assert isinstance(moved, There)
    with pytest.raises(RuntimeError, match="all tensors must be on one device"):
        _ = moved + x
    assert type((moved + moved).cpu()) is Tensor
    assert torch.equal((moved + moved).cpu(), x + x)
    assert isinstance(torch.ones(2, device="lazy"), There)
    leaf = torch.rand(3).to("lazy").requires_grad_()
    (gradient,) = torch.autograd.grad((leaf * leaf).sum(), leaf)
    assert isinstance(gradient, There)
    assert torch.equal(gradient.cpu(), 2 * leaf.detach().cpu())


@pytest.mark.parametrize("want", [Want.LOGITS, Want.LOGITS | Want.NEURONS])
def test_answers_and_neurons_are_those_of_the_processor(
    here: TorchModule, there: TorchModule, second: SecondDevice, small_images: Tensor, want: Want
) -> None:
    expected, found = here.observe(small_images, want), there.observe(small_images, want)
    assert torch.equal(found.logits, expected.logits)
    assert found.logits.device == small_images.device
    if Want.NEURONS in want:
        assert expected.neurons is not None
        assert found.neurons is not None
        assert torch.equal(found.neurons, expected.neurons)
    assert second.calls > 0


def test_gradients_are_those_of_the_processor(
    here: TorchModule, there: TorchModule, second: SecondDevice, small_images: Tensor
) -> None:
    targets = torch.arange(len(small_images)) % 4
    results = [subject.gradient(small_images, of_class, targets) for subject in (here, there)]
    for expected, found in zip(*(one[:2] for one in results), strict=True):
        assert torch.equal(found, expected)
        assert type(found) is Tensor
    assert second.calls > 0


def test_draws_and_silenced_neurons_are_those_of_the_processor(
    here: TorchModule, there: TorchModule, second: SecondDevice, small_images: Tensor
) -> None:
    """Masks are drawn on the processor and applied where the weights are."""
    x, targets = small_images[:6], torch.arange(6) % 4
    drawn = Masks(0, tuple(map(str, range(6))), draws=5)
    neurons = len(here.neuron_map(x).hidden)
    masks = (torch.arange(6 * 2 * neurons).view(6, 2, neurons) % 3 > 0).float()
    results = []
    for subject in (here, there):
        dropping = subject.dropping(Dropout(0.3))
        results.append(
            [
                dropping.samples(x, drawn),
                dropping.drawn_gradient(x, replace(drawn, draws=1), of_class, targets)[1],
                subject.silenced(x, masks),
                *subject.mask_gradient(x, masks, of_class, targets),
                *subject.layer_moves(x, small_images[6:8], torch.arange(6) % 2),
            ]
        )
    for expected, found in zip(*results, strict=True):
        assert type(found) is Tensor
        assert torch.equal(found, expected)
    assert second.calls > 0


@pytest.mark.parametrize(
    "method",
    ["pgd:steps=3", "deepsensor:particles=4,iterations=2", "deepsensor_excitable:particles=4,iterations=2",
     "deepfool:steps=3", "square", "class_tour:steps=2", "dlfuzz"],
)  # fmt: skip
def test_hunts_find_what_they_find_on_the_processor(
    here: TorchModule, there: TorchModule, second: SecondDevice, small_images: Tensor, tmp_path: Path, method: str
) -> None:
    labels = here.observe(small_images).logits.argmax(dim=1)
    tables = []
    for name, subject in (("here", here), ("there", there)):
        data = tensors(small_images, labels, name="small")
        found = unnerve.hunt(
            subject, data, method=method, region="linf:0.2", inputs=6, out=str(tmp_path / name), queries=40
        )
        tables.append(found.findings.to_pandas().drop(columns=["seconds"], errors="ignore"))
    assert len(tables[0]) > 0
    assert tables[0].equals(tables[1])
    assert second.calls > 0
