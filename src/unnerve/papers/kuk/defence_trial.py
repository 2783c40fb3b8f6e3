"""One experiment behind KuK's Tables 6 and 7: what defences make of common and uncommon inputs."""

from dataclasses import dataclass

from unnerve.papers.kuk.printed import TITLES
from unnerve.papers.kuk.uncommon_trial import UncommonTrial
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.intervals.proportion import proportion

__all__ = ["CLEAN", "COMMON", "UNCOMMON", "DefenceCounts", "DefenceResult", "DefenceTrial"]

CLEAN, COMMON, UNCOMMON = "clean", "common", "uncommon"


@dataclass(frozen=True)
class DefenceTrial:
    """The uncommon inputs of a network, and the defences that meet them."""

    hunted: UncommonTrial
    defences: tuple[str, ...]

    @property
    def table(self) -> int:
        """The paper's table of such networks: 7 for ImageNet."""
        return 7 if self.hunted.trial.data == "imagenet-samples" else 6


@dataclass(frozen=True)
class DefenceCounts:
    """What one defence makes of one group.

    Parameters
    ----------
    defence, group : str
        The group ``clean`` is of inputs that no seed was taken from, for models that are trained anew.
    inputs, held : int
        How many there are, and how many the defence gets right.
    adversarial, adversarial_held : int
        The same of those that the undefended model gets wrong.
    """

    defence: str
    group: str
    inputs: int
    held: int
    adversarial: int
    adversarial_held: int

    @property
    def share(self) -> Interval:
        """Success with its interval."""
        return proportion(self.held, self.inputs)

    @property
    def adversarial_share(self) -> Interval | None:
        """Success on adversarial inputs, with its interval; None if there are none."""
        return proportion(self.adversarial_held, self.adversarial) if self.adversarial else None

    @property
    def benign_share(self) -> Interval | None:
        """Success on the other inputs, likewise."""
        benign = self.inputs - self.adversarial
        return proportion(self.held - self.adversarial_held, benign) if benign else None


@dataclass(frozen=True)
class DefenceResult:
    """What was measured on one network.

    Parameters
    ----------
    plan : DefenceTrial
    accuracy : float
    seeds : int
    defences : tuple of DefenceCounts
    training : int
        Inputs that models were trained anew on; 0 if none was, or if it is not known.
    """

    plan: DefenceTrial
    accuracy: float
    seeds: int
    defences: tuple[DefenceCounts, ...]
    training: int = 0

    @property
    def network(self) -> str:
        """Its name in the zoo."""
        return self.plan.hunted.trial.network

    @property
    def title(self) -> str:
        """The network, as the paper writes it."""
        return TITLES[self.network]

    @property
    def table(self) -> int:
        """The table that it is part of: 7 for ImageNet."""
        return self.plan.table

    def counts(self, defence: str, group: str) -> DefenceCounts | None:
        """Return what a defence made of a group; None if it has no inputs."""
        named = (one for one in self.defences if (one.defence, one.group) == (defence, group))
        return next((one for one in named if one.inputs), None)

    def spreads(self) -> dict[str, Interval]:
        """Return the shares of inputs that defences get right, with their intervals."""
        return {f"{one.defence}, {one.group}": one.share for one in self.defences if one.inputs}
