"""From what a user names to a model under test."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.naming.callables import called_plainly, looks_like_python, named
from unnerve.core.naming.catalogue import bound, build
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import specification
from unnerve.core.wrappers.transformed import Transformed
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.opening import ModelOptions, normalisation
from unnerve.subjects.weights import fill, shipped

__all__ = ["Normalised", "model"]


@flat()
def model(source: str | Path | nn.Module | Classifier | Callable[..., object], *, options: ModelOptions) -> Classifier:
    """Take a model under test.

    Parameters
    ----------
    source : str, path, nn.Module, callable or Classifier
        ``zoo:NAME``, ``zoo:NAME?random``, ``FILE.py:callable``, ``package.module:callable``, ``FILE.pt2``
        (torch.export), ``FILE.pt`` (TorchScript); an ``nn.Module``; or a function from float32 arrays (N, ...) to
        probabilities (N, C). A name may be followed by input transforms: ``zoo:lenet5|jpeg:75``.
    options : ModelOptions
        How it is opened; its fields are given as keywords: ``weights="net.safetensors"``, ``normalise="0.13/0.31"``.

    Returns
    -------
    Classifier

    Examples
    --------
    >>> import unnerve
    >>> unnerve.model("zoo:lenet5").name
    'zoo:lenet5'
    """
    if isinstance(source, str) and "|" in source:
        inner, *transforms = source.split("|")
        subject: Classifier = model(inner, options=options)
        for text in transforms:
            subject = Transformed(subject, build("transform", text), text.strip())
        return subject
    weights, device, neurons, outputs = options.weights, options.device, options.neurons, options.outputs
    normalise = normalisation(options.normalise)
    source = str(source) if isinstance(source, Path) else source
    if not isinstance(source, str | nn.Module) and isinstance(source, Classifier):
        if neurons is not None:
            raise InvalidSetting(f"{source.name} was taken already; which neurons count is said when a model is taken")
        return source
    name = source if isinstance(source, str) else None
    if outputs == "auto" and name is not None and name.startswith("zoo:"):
        outputs = "logits"
    thing = _loaded(source, weights) if isinstance(source, str) else source
    if isinstance(thing, nn.Module):
        if weights is not None and not isinstance(source, str):
            fill(thing, weights)
        module = thing if normalise is None else Normalised(thing, *normalise)
        return TorchModule(_moved(module, device), name or type(thing).__name__, outputs, neurons)
    if (weights, normalise, device, neurons) != (None, None, None, None):
        raise InvalidSetting("weights, normalise, device and neurons need an nn.Module; a function has none of them")
    if not callable(thing):
        raise InvalidModel(f"a model must be an nn.Module or a callable, got {type(thing).__name__}")
    return BlackBox(thing, name, outputs)


class Normalised(nn.Module):
    """A module that first brings its input to the mean and standard deviation it was trained with.

    Parameters
    ----------
    module : nn.Module
    mean, std : sequence of float
        One value, or one per channel.
    """

    mean: Tensor
    std: Tensor

    def __init__(self, module: nn.Module, mean: Sequence[float], std: Sequence[float]) -> None:
        super().__init__()
        if len(mean) != len(std) or not all(value > 0 for value in std):
            raise InvalidSetting(f"normalise must give as many means as positive deviations, got {mean} and {std}")
        self.module = module
        self.training = module.training
        self.register_buffer("mean", torch.tensor(mean))
        self.register_buffer("std", torch.tensor(std))

    @property
    def neurons_inside(self) -> nn.Module:
        """The module itself: normalising changes neither which neurons count nor what their layers are called."""
        return self.module

    def forward(self, x: Tensor) -> object:
        """Run the module on the normalised input; channels are the axis after the first."""
        if len(self.mean) not in (1, x.shape[1]):
            raise ValueError(f"{len(self.mean)} means for normalisation, but {x.shape[1]} channels")
        shape = (-1, *[1] * (x.ndim - 2))
        return self.module((x - self.mean.view(shape)) / self.std.view(shape))


def _moved(module: nn.Module, device: str | None) -> nn.Module:
    try:
        return module if device is None else module.to(device)
    except (RuntimeError, AssertionError) as problem:
        raise InvalidSetting(f"device '{device}' cannot be used here: {str(problem).splitlines()[0]}") from problem


def _loaded(source: str, weights: str | Path | None) -> object:
    if source.startswith("zoo:"):
        return _from_zoo(source.removeprefix("zoo:"), weights)
    path = Path(source)
    if path.suffix in (".pt2", ".pt"):
        if weights is not None:
            raise InvalidSetting(f"{source} holds its own weights; leave --weights away")
        return _exported(path)
    if not looks_like_python(source) or source.startswith(("hf:", "http:", "https:")):
        raise InvalidModel(
            f"a model must be zoo:NAME, FILE.py:callable, package.module:callable, FILE.pt2 or FILE.pt, got '{source}'"
        )
    thing = named(source, InvalidModel)
    if isinstance(thing, type) and not called_plainly(thing):
        raise InvalidModel(f"{source} needs arguments; write a function without any that returns the model")
    if not isinstance(thing, nn.Module) and called_plainly(thing):
        try:
            thing = thing()
        except Exception as problem:
            raise InvalidModel(f"{source} raised {type(problem).__name__}: {problem}") from problem
    return fill(thing, weights) if weights is not None and isinstance(thing, nn.Module) else thing


def _from_zoo(text: str, weights: str | Path | None) -> nn.Module:
    text, _, wish = text.partition("?")
    if wish not in ("", "random"):
        raise InvalidModel(f"after '?' only 'random' is known, got '{wish}'")
    make = bound("zoo model", text)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        module: nn.Module = make()
    path = weights or shipped(specification(text).name)
    if wish == "random" and weights is None:
        return module
    if path is None:
        raise InvalidModel(
            f"zoo:{text} ships without weights; give --weights FILE, or zoo:{text}?random for untrained ones"
        )
    return fill(module, path)


def _exported(path: Path) -> nn.Module:
    if not path.is_file():
        raise InvalidModel(f"no such file: {path}")
    try:
        if path.suffix == ".pt2":
            return torch.export.load(path).module()
        scripted: nn.Module = torch.jit.load(str(path), map_location="cpu")
        return scripted
    except Exception as problem:
        kind = "as TorchScript (weights alone go to --weights)" if path.suffix == ".pt" else "by torch.export"
        raise InvalidModel(f"{path}: must be a model saved {kind}, but it cannot be read so") from problem
