"""How far each neuron goes on training data: what the coverage criteria compare with."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, runtime_checkable

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.model import Observation
from unnerve.core.neurons import Layer, NeuronMap
from unnerve.core.storage.files import whole_file

__all__ = ["Profile", "Profiled", "finite_neurons"]


@dataclass(frozen=True, eq=False)
class Profile:
    """The least and the largest value of every neuron on some inputs; two of them join with ``|``.

    Parameters
    ----------
    model : str
        Identity of the model, so that a profile is never used with another one.
    neurons : NeuronMap
        Which neurons were watched, and the filter that chose them.
    low, high : Tensor of shape (U,)
        Finite, ``low <= high``; equal for a neuron that never moved.
    inputs : int
        How many inputs were seen; inputs of both sides of ``|`` are counted twice.

    Examples
    --------
    >>> import unnerve
    >>> from unnerve.core.profiles import Profile
    >>> unnerve.profile("zoo:lenet5", "mnist5k").save("lenet5.safetensors")
    >>> unnerve.cover("zoo:lenet5", "mnist5k", Profile.load("lenet5.safetensors"))
    """

    model: str
    neurons: NeuronMap
    low: Tensor
    high: Tensor
    inputs: int

    def __post_init__(self) -> None:
        count = len(self.neurons)
        if self.low.shape != (count,) or self.high.shape != (count,):
            raise InvalidData(f"a profile of {count} neurons must have as many bounds, got {tuple(self.low.shape)}")
        if not bool((self.low.isfinite() & self.high.isfinite() & (self.low <= self.high)).all()):
            raise InvalidData("bounds of a profile must be finite, and low <= high")

    def __repr__(self) -> str:
        return f"<Profile: {len(self.neurons):,} neurons on {self.inputs:,} inputs, of the model {self.model[:8]}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __or__(self, other: "Profile") -> "Profile":
        """Return the profile of all inputs of both."""
        self.check(other.model, other.neurons)
        low, high = torch.minimum(self.low, other.low), torch.maximum(self.high, other.high)
        # Nothing tells which inputs both have seen, so the count is an upper bound.
        return Profile(self.model, self.neurons, low, high, self.inputs + other.inputs)

    @cached_property
    def digest(self) -> str:
        """Hash of model, neurons and bounds, in hexadecimal."""
        # The number of inputs is left out: a profile that further inputs did not widen is the same profile.
        digest = hashlib.blake2b(f"{self.model}{_layers(self.neurons)}".encode(), digest_size=16)
        for bound in (self.low, self.high):
            digest.update(bound.double().numpy().tobytes())
        return digest.hexdigest()

    def check(self, model: str, neurons: NeuronMap) -> None:
        """Raise unless the profile was made with this model and these neurons."""
        if self.model != model:
            raise InvalidSetting(f"the profile is of another model: its hash is {self.model[:8]}, not {model[:8]}")
        if _layers(self.neurons) != _layers(neurons):
            raise InvalidSetting(
                f"the profile is of other neurons: {len(self.neurons)} chosen by '{self.neurons.chosen_by}', "
                f"not {len(neurons)} chosen by '{neurons.chosen_by}'"
            )

    def save(self, path: str | Path) -> None:
        """Write a safetensors file: the whole file or none."""
        about = {"model": self.model, "inputs": self.inputs, "chosen_by": self.neurons.chosen_by}
        metadata = {"profile": json.dumps(about | {"layers": _layers(self.neurons)})}
        data = save({"low": self.low.contiguous(), "high": self.high.contiguous()}, metadata=metadata)
        with whole_file(Path(path)) as part:
            part.write_bytes(data)

    @staticmethod
    def load(path: str | Path) -> "Profile":
        """Read what :meth:`save` wrote; no code is run, whoever made the file."""
        if not Path(path).is_file():
            raise InvalidData(f"no such profile: {path}")
        try:
            with safe_open(str(path), framework="pt") as file:
                about = json.loads((file.metadata() or {})["profile"])
                low, high = file.get_tensor("low"), file.get_tensor("high")
            layers: list[Layer] = []
            for name, count in about["layers"]:
                layers.append(Layer(name, layers[-1].start + layers[-1].count if layers else 0, count))
            neurons = NeuronMap(tuple(layers), about["chosen_by"])
            return Profile(about["model"], neurons, low, high, about["inputs"])
        except (SafetensorError, OSError, KeyError, TypeError, ValueError) as problem:
            raise InvalidData(f"{path}: not a profile that unnerve cover --save-profile wrote") from problem


@runtime_checkable
class Profiled(Protocol):
    """A method that may compare with how far neurons go on training data."""

    @property
    def profiled(self) -> bool:
        """Whether it does so, with its settings: it then needs a subject with a profile."""
        ...


def finite_neurons(seen: Observation, neurons: NeuronMap) -> Tensor:
    """Return the neurons' values, shape (N, U), or raise if there is one that is not a number."""
    values = seen.neurons
    if values.shape[1] != len(neurons):
        raise InvalidSetting(f"{values.shape[1]} neurons were watched, not {len(neurons)}")
    # The sum is ten times cheaper than a look at every value, which only a sum that is not finite asks for.
    if not bool(values.sum().isfinite()) and not bool(values.isfinite().all()):
        place = next(layer.name for layer, part in neurons.split(values) if not bool(part.isfinite().all()))
        raise InvalidModel(f"values of neurons must be finite, got NaN or infinity in layer {place}")
    return values


def _layers(neurons: NeuronMap) -> list[list[str | int]]:
    return [[layer.name, layer.count] for layer in neurons.layers]
