"""From what a user names to a model under test."""

from pathlib import Path
from typing import Any

from torch import nn

from unnerve.core.data.openings import noted
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.keywords import flat
from unnerve.core.wrappers.transformed import Transformed
from unnerve.subjects.adapters.black_box import BATCH, BlackBox
from unnerve.subjects.adapters.estimator import Estimator, declared_by, is_estimator
from unnerve.subjects.adapters.mixed_precision import in_precision
from unnerve.subjects.adapters.normalised import Normalised, NormalisedFunction
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.declaration import Declaration
from unnerve.subjects.forms._choice import form_of
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions, model_opening, normalisation, value_range
from unnerve.subjects.weights import fill

__all__ = ["model"]


@flat()
def model(source: Any, *, options: ModelOptions) -> Classifier:
    """Take a model under test.

    Parameters
    ----------
    source : str, path, nn.Module, estimator, callable or Classifier
        ``zoo:NAME``, ``zoo:NAME?random``, ``FILE.py:callable``, ``package.module:callable``, ``FILE.pt2``
        (torch.export), ``FILE.pt`` (TorchScript), ``FILE.onnx``, ``FILE.skops`` and other
        :mod:`forms <unnerve.subjects.forms>`; an ``nn.Module``; a fitted scikit-learn estimator; or a function from
        float32 arrays (N, ...) to probabilities (N, C). A name may be followed by input transforms:
        ``zoo:lenet5|jpeg:75``.
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
    if isinstance(source, str | Path):
        text, *transforms = str(source).split("|") if isinstance(source, str) else [str(source)]
        form, place = form_of(text)
        subject = _classifier(form.opened(place, options), text, options)
        # Each wraps what stands before it: the last one sees the input first.
        for transform in transforms:
            subject = Transformed(subject, build("transform", transform), transform.strip())
        return noted(subject, model_opening(source, options))
    if not isinstance(source, nn.Module) and isinstance(source, Classifier):
        for name, what in (("neurons", "which neurons count"), ("model_range", "what range it expects")):
            if getattr(options, name) is not None:
                raise InvalidSetting(f"{source.name} was taken already; {what} is said when a model is taken")
        return source
    subject = _classifier(Opened(source, Declaration()), None, options)
    return noted(subject, model_opening(source, options))


def _classifier(opened: Opened, name: str | None, options: ModelOptions) -> Classifier:
    thing, declared = opened.thing, opened.declared
    name = name or getattr(thing, "__name__", None) or type(thing).__name__
    if isinstance(thing, nn.Module):
        subject: TorchModule | BlackBox = _white_box(thing, name, declared, options)
    else:
        if is_estimator(thing):
            thing = Estimator(thing, name)
            declared = declared_by(thing, declared)
        subject = _black_box(thing, name, declared, options)
    subject.declared = declared
    subject.expects = value_range(options.model_range, "model-range") or declared.value_range
    return subject


def _white_box(module: nn.Module, name: str, declared: Declaration, options: ModelOptions) -> TorchModule:
    if options.weights is not None:
        fill(module, options.weights)
    module = in_precision(module, options.precision)
    stated = (declared.inputs.mean, declared.inputs.std) if declared.inputs.mean else None
    scales = normalisation(options.normalise) or stated
    module = module if scales is None else Normalised(module, *scales)
    return TorchModule(_moved(module, options.device), name, _outputs(declared, options), options.neurons)


def _black_box(thing: object, name: str, declared: Declaration, options: ModelOptions) -> BlackBox:
    if not callable(thing):
        kind = type(thing).__name__
        said = "a model" if name == kind else name  # what a function returned is found by the function's name
        raise InvalidModel(f"{said} must be an nn.Module, a callable or an estimator, got {kind}")
    # Ignored, they would look obeyed.
    if (options.weights, options.device, options.neurons, options.precision) != (None, None, None, "float32"):
        raise InvalidSetting(f"weights, device, neurons and precision need an nn.Module, got {name} ({declared.form})")
    scales = normalisation(options.normalise)
    function = thing if scales is None else NormalisedFunction(thing, *scales)
    return BlackBox(function, name, _outputs(declared, options), declared.at_most or BATCH)


def _outputs(declared: Declaration, options: ModelOptions) -> str:
    return declared.outputs if options.outputs == "auto" else options.outputs


def _moved(module: nn.Module, device: str | None) -> nn.Module:
    try:
        return module if device is None else module.to(device)
    except (RuntimeError, AssertionError) as problem:
        raise InvalidSetting(f"device '{device}' cannot be used here: {str(problem).splitlines()[0]}") from problem
