"""An attack that somebody else wrote: a function, or an attack of foolbox, ART or torchattacks."""

import hashlib
import sys
import warnings
from collections.abc import Generator, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.ranges import bounds
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.methods import Normed, Space
from unnerve.core.model import Capability
from unnerve.core.naming.origins import loaded, origin
from unnerve.core.pools import PoolHunter
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import BudgetSpent, Metered
from unnerve.generate.attacks.foreign._dice import dice
from unnerve.generate.attacks.foreign._facade import Facade
from unnerve.generate.attacks.foreign._libraries import Task, attack
from unnerve.generate.regions.l2 import L2
from unnerve.generate.regions.linf import Linf

__all__ = ["Foreign", "adopted"]


@dataclass(frozen=True)
class Foreign:
    """Let somebody else's attack change the seeds; what it returns is judged like what any hunter proposes.

    The attack is a function ``(inputs, labels)`` or ``(model, inputs, labels)`` that returns changed inputs; an attack
    of foolbox; or a class, or a function of the model, that makes an attack of ART (the parameter is then called
    ``estimator`` or ``classifier``) or of torchattacks. A parameter ``radius`` receives the region's. Its passes go
    through a module that counts them. Changed inputs that lie outside the region are proposed as they are, and refused
    by the judge. If the budget ends an attack, what it asked about last is proposed.

    Parameters
    ----------
    attack : str
        ``FILE.py:name`` or ``package.module:name``.
    batch : int
        Seeds that it is given at once, >= 1. One by one, what happens to a seed depends on nothing else. Many at once
        are faster, but random numbers, and attacks that stop when all of a batch are done, then depend on the company.
    radius : float or None
        How far a change may go, for attacks that want to know; the region's if None.
    source : str or None
        Hash of the attack's program, filled in by itself: a campaign is not resumed with another attack.
    program : function, class or attack, optional
        The attack itself, if it was given as an object. It travels with this value, but is no setting: attacks are
        told apart by name and hash.

    References
    ----------
    Rauber et al., "Foolbox Native", 2020; Nicolae et al., "Adversarial Robustness Toolbox", 2018; Kim, "Torchattacks",
    2020.
    """

    attack: str
    batch: int = 1
    radius: float | None = None
    source: str | None = None
    program: Any = field(default=None, repr=False, compare=False, kw_only=True, metadata={"setting": False})
    needs = Capability.ANSWERS
    width = 1
    regions = None
    draws = None
    start_cost = 0
    small = ("unnerve.testing.attacks:nudge,batch=6",)

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise InvalidSetting(f"batch must be >= 1, got {self.batch}")
        if self.radius is not None and not self.radius > 0:
            raise InvalidSetting(f"radius must be > 0, got {self.radius}")
        if self.program is None:
            program, source = loaded(self.attack, self.source)
            object.__setattr__(self, "program", program)
            object.__setattr__(self, "source", source)

    @classmethod
    def of(cls, thing: Any, batch: int = 1, radius: float | None = None) -> "Foreign":
        """Take an attack as an object; a campaign with it can be resumed by a process that gives it again."""
        name, source = origin(thing)
        return cls(name, batch, radius, source, program=thing)

    def step_cost(self, classes: int) -> int:
        """Return the queries of one look with a gradient; who spends more than it has is stopped by the meter."""
        return 2

    def hunt(
        self, subject: Subject[Metered], seeds: Seeds, space: Space, streams: Streams
    ) -> Generator[Candidates, Tensor, None]:
        """Yield the changed inputs of one batch of seeds after the other, all of them as the first step."""
        groups = torch.arange(len(seeds)).split(self.batch)
        wanted, inside = torch.ones(len(seeds), dtype=torch.bool), 0
        for place, group in enumerate(groups, start=1):
            rows = group[wanted[group]]
            if len(rows) == 0:
                continue
            inputs, rows = self._attacked(subject.model, seeds, rows, space, streams)
            inside += int(space.contains(inputs, seeds.batch.inputs[rows]).sum())
            if place == len(groups) and len(seeds) > 1 and inside == 0:
                warnings.warn(f"{self.attack}: none of its changed inputs lies in the region", stacklevel=2)
            wanted = yield Candidates(inputs, rows, 0)

    def _attacked(
        self, model: Metered, seeds: Seeds, rows: Tensor, space: Space, streams: Streams
    ) -> tuple[Tensor, Tensor]:
        """Return changed inputs (K, ...) and whose they are (K,)."""
        centre, labels = seeds.batch.inputs[rows], seeds.expected[rows]
        facade = Facade(model, rows, centre, seeds.clean.logits.shape[1])
        task = self._task(facade, seeds, rows, space)
        try:
            with dice(_number(seeds, rows, streams)) as drawn, redirect_stdout(sys.stderr):
                with torch.inference_mode(False), torch.enable_grad():
                    made = attack(self.program, task)(centre.clone(), labels.clone())
                if drawn():
                    streams[rows.tolist()].uniform(0, 0, ())  # who draws can be tried again with other numbers
        except BudgetSpent:
            return facade.last()
        # As for noises, an input costs the one query with which anybody would look at it.
        model.charge(rows[~facade.asked], 1)
        return _checked(made, centre, self.attack), rows

    def _task(self, facade: Facade, seeds: Seeds, rows: Tensor, space: Space) -> Task:
        own = self.radius is None and isinstance(space, Normed)
        norm = {Linf: inf, L2: 2.0}.get(type(space)) if own else None
        radius = space.reach if own and isinstance(space, Normed) else self.radius
        target = None if seeds.target is None else seeds.target[rows]
        return Task(self.attack, facade, bounds(space, "foreign"), radius, norm, target)


def adopted(method: object) -> object:
    """Return a hunter, or what describes one, as it is; anything else that can attack as a hunter."""
    described = isinstance(method, str | Mapping | PoolHunter) or hasattr(method, "hunt")
    return method if described else Foreign.of(method)


def _number(seeds: Seeds, rows: Tensor, streams: Streams) -> int:
    """Return where the global generators shall begin: for one seed a number of its own."""
    names = [seeds.batch.ids[row] for row in rows.tolist()]
    # Streams of their own, so that theirs tell afterwards whether the attack drew anything.
    numbers = Streams(streams.seed, names, streams.turn).uniform(0, 0, (2,))
    return int.from_bytes(hashlib.blake2b(numbers.numpy().tobytes(), digest_size=8).digest(), "little")


def _checked(made: object, centre: Tensor, who: str) -> Tensor:
    """Return changed inputs as float32, or raise if they are not like the seeds' inputs."""
    changed = made.detach() if isinstance(made, Tensor) else torch.empty(0)
    if isinstance(made, np.ndarray | list):
        changed = torch.from_numpy(np.array(made, dtype=np.float32))
    if changed.shape != centre.shape:
        got = tuple(changed.shape) if isinstance(made, Tensor | np.ndarray | list) else type(made).__name__
        raise InvalidSetting(f"{who} must return changed inputs of shape {tuple(centre.shape)}, got {got}")
    changed = changed.to(centre.device, torch.float32)
    if not bool(changed.isfinite().all()):
        raise ValueError(f"{who} returned NaN or infinite values")
    return changed
