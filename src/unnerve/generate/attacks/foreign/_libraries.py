"""Attacks of other libraries, and functions, behind one door: (inputs, labels) -> changed inputs."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from torch import Tensor, nn
from torch.nn.functional import one_hot

from unnerve.core.errors import InvalidSetting
from unnerve.generate.attacks.foreign._facade import Facade

__all__ = ["Attack", "Task", "attack"]

Attack = Callable[[Tensor, Tensor], object]
"""(inputs (N, ...), right classes (N,)) -> changed inputs, as a tensor or array like the inputs."""


@dataclass(frozen=True, eq=False)
class Task:
    """What an attack may want to know.

    Parameters
    ----------
    who : str
        How the user named the attack, for errors.
    facade : Facade
        The model.
    bounds : (float, float)
        Least and largest valid value.
    radius : float or None
        How far a change may go, if the region says so.
    norm : float or None
        The p of the region's norm, if the radius is measured in one.
    target : int64 Tensor of shape (N,), or None
        The class that each input shall be turned into.
    """

    who: str
    facade: Facade
    bounds: tuple[float, float]
    radius: float | None
    norm: float | None
    target: Tensor | None


def attack(thing: Any, task: Task) -> Attack:
    """Return a user's attack, ready to be called.

    Functions and classes that need one argument at most make an attack: they are given the model, or ART's classifier
    where the parameter is called ``estimator`` or ``classifier``. Those that need two are called with inputs and
    labels, those that need three with the model, inputs and labels; ``radius`` is given to who asks for it.
    """
    wanted = _wanted(thing, task)
    made = inspect.isclass(thing) or inspect.isroutine(thing) or isinstance(thing, partial)
    if not made or len(wanted) > 1:
        return _direct(thing, task, ours=False)
    # ART's attacks name their first parameter so, and take no plain module.
    given = _classifier(task) if wanted and wanted[0] in ("estimator", "classifier") else task.facade
    result = _sized(thing, task)(*([given] if wanted else []))
    if not callable(result) and not hasattr(result, "generate"):
        raise InvalidSetting(f"{task.who} must return an attack, got {type(result).__name__}")
    return _direct(result, task, ours=bool(wanted))


def _direct(thing: Any, task: Task, ours: bool) -> Attack:
    """Return an attack as it is called; ``ours`` says whether it was made for our model."""
    # An attack that holds a model asks it behind the meter's back, and would look cheap.
    if not ours and (hasattr(thing, "generate") or isinstance(getattr(thing, "model", None), nn.Module)):
        raise InvalidSetting(
            f"{task.who} has a model of its own already, whose passes nobody would count; give its class, or a "
            "function of one parameter, the model, that returns it"
        )
    if hasattr(thing, "generate"):
        return partial(_by_art, thing, task)
    wanted = _wanted(thing, task)
    # The parameter by which attacks of foolbox can be told, without importing foolbox.
    if "criterion" in wanted:
        return partial(_by_foolbox, thing, task)
    called = _sized(thing, task)
    if len(wanted) == 3:
        return lambda inputs, labels: called(task.facade, inputs, labels)
    if len(wanted) > 3:
        raise InvalidSetting(
            f"{task.who} must take (inputs, labels) or (model, inputs, labels), but needs {', '.join(wanted)}"
        )
    aim = task.target if getattr(thing, "targeted", False) else None
    return lambda inputs, labels: called(inputs, labels if aim is None else aim)


def _by_foolbox(thing: Any, task: Task, inputs: Tensor, labels: Tensor) -> object:
    foolbox: Any = _library("foolbox", "foolbox", task)
    model = foolbox.PyTorchModel(task.facade, bounds=task.bounds, device="cpu")
    criteria = foolbox.criteria
    aim = criteria.Misclassification(labels)
    if task.target is not None:
        aim = criteria.TargetedMisclassification(task.target)
    norm = getattr(getattr(thing, "distance", None), "p", task.norm)
    # The same number means another size in another norm.
    if norm != task.norm and task.norm is not None:
        raise InvalidSetting(
            f"{task.who} measures in L{norm:g}, but the region is a ball of L{task.norm:g}: say how far the attack may "
            f"go, as in foreign:...,radius=0.5"
        )
    return thing(model, inputs, aim, epsilons=_radius(task))[1]


def _by_art(thing: Any, task: Task, inputs: Tensor, labels: Tensor) -> object:
    if getattr(thing, "targeted", False):
        if task.target is None:
            raise InvalidSetting(f"{task.who} is targeted: say which class it shall reach (--target)")
        labels = task.target
    wanted = one_hot(labels, task.facade.classes).numpy().astype(np.float32)
    return thing.generate(x=inputs.numpy(), y=wanted)


def _classifier(task: Task) -> object:
    """Return the model as ART takes it."""
    made: Any = _library("art.estimators.classification", "adversarial-robustness-toolbox", task).PyTorchClassifier
    shape = tuple(task.facade.centre.shape[1:])
    loss = nn.CrossEntropyLoss()
    return made(task.facade, loss, shape, task.facade.classes, clip_values=task.bounds, device_type="cpu")


def _library(name: str, package: str, task: Task) -> Any:
    try:
        return import_module(name)
    except ImportError as problem:
        raise InvalidSetting(f"{task.who} needs the package {package}: pip install {package}") from problem


def _wanted(thing: Any, task: Task) -> list[str]:
    """Return the parameters that must be given, but for the radius."""
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError) as problem:
        if hasattr(thing, "generate"):
            return []
        raise InvalidSetting(f"{task.who} must be a function or an attack, got {type(thing).__name__}") from problem
    free = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        one.name for one in parameters if one.default is one.empty and one.kind not in free and one.name != "radius"
    ]


def _sized(thing: Any, task: Task) -> Any:
    """Return the same with its radius, if it must be given one."""
    parameter = inspect.signature(thing).parameters.get("radius")
    wants = parameter is not None and parameter.default is parameter.empty
    return partial(thing, radius=_radius(task)) if wants else thing


def _radius(task: Task) -> float:
    if task.radius is None:
        raise InvalidSetting(f"the region has no radius: say how far {task.who} may go, as in foreign:...,radius=0.5")
    return task.radius
