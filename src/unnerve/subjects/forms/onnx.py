"""``FILE.onnx``: a network in the ONNX format."""

from dataclasses import dataclass
from typing import ClassVar

from unnerve.subjects.adapters.onnx_network import OnnxNetwork
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._files import model_file
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["ONNX"]


@dataclass(frozen=True)
class ONNX:
    """A network with one input, run by onnxruntime on the processor: answers only, and fast.

    A network that was exported for a fixed number of inputs is asked for so many at a time.
    """

    shown: ClassVar[str] = "FILE.onnx"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Open the file in onnxruntime."""
        network = OnnxNetwork(model_file(place, options))
        at_once = "any number of inputs" if network.batch is None else f"{network.batch} at a time"
        declared = Declaration(f"ONNX network, {at_once}", shape=network.expected.shape, batch=network.batch)
        return Opened(network, declared)
