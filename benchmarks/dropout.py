"""Monte-Carlo dropout against a plain loop of whole passes, and against the least work; one thread, CPU time."""

import time
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from benchmarks.pairs import bare_forward, one_thread, ratio, repeated
from benchmarks.scene import network
from unnerve.core.masks import Masks
from unnerve.subjects.data import examples
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.memory_format import channels_last

_ROWS, _DRAWS, _RATE = 512, 50, 0.4
_DENSE = ("before:fc2", "before:logits")
_POOLS = ("pool1", "pool2", "before:logits")


def dense_ratio() -> float:
    """T = 50 draws with dropout before the last two dense layers, relative to 50 plain passes; LeNet-5, 512 digits."""
    return _against_plain(_DENSE)


def pools_ratio() -> float:
    """T = 50 draws with dropout after each pooling and before the output, relative to 50 plain passes."""
    return _against_plain(_POOLS)


def dense_overhead() -> float:
    """Time of 50 draws relative to the least work: layers before the first dropout once, the others 50 times."""
    lenet, x, masks = network(), *_digits()
    layers = _with_layers(lenet.module, _DENSE)
    first = next(place for place, layer in enumerate(layers) if isinstance(layer, nn.Dropout))
    prefix, suffix = nn.Sequential(*layers[:first]), nn.Sequential(*layers[first:])

    def least() -> None:
        with torch.no_grad():
            for part in channels_last(x).split(256):
                reached = prefix(part)
                for _ in range(_DRAWS):
                    suffix(reached)

    ours = with_dropout(lenet, _RATE, _DENSE)
    with one_thread():
        return 1 / ratio(lambda: ours.samples(x, masks), least, rounds=15, clock=time.process_time)


def _against_plain(places: Sequence[str]) -> float:
    lenet, x, masks = network(), *_digits()
    ours = with_dropout(lenet, _RATE, places)
    with one_thread():
        once = bare_forward(nn.Sequential(*_with_layers(lenet.module, places)), x)
        return ratio(lambda: ours.samples(x, masks), repeated(once, _DRAWS), rounds=5, clock=time.process_time)


def _digits() -> tuple[Tensor, Masks]:
    batch = examples("mnist5k").batch(range(_ROWS))
    return batch.inputs, Masks(0, batch.ids, _DRAWS)


def _with_layers(lenet: nn.Module, places: Sequence[str]) -> list[nn.Module]:
    """Return the layers with torch's own dropout among them, switched on."""
    layers: list[nn.Module] = []
    for name, layer in lenet.eval().named_children():
        before, after = f"before:{name}" in places, name in places
        layers += [*[nn.Dropout(_RATE)] * before, layer, *[nn.Dropout(_RATE)] * after]
    return layers
