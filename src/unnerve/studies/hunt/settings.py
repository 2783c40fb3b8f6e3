"""What can be said of a hunt and of how it is run; the command's options are these fields."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.patterns import PatternLimits, Thresholds
from unnerve.core.storage.limits import PROOFS, check_threads

if TYPE_CHECKING:
    from unnerve.campaign.campaign_run import Engine
    from unnerve.core.methods import Oracle, Space
    from unnerve.studies.hunt.hunt import Progress

__all__ = ["HuntSettings", "PatternSettings", "RunSettings"]


# By keyword only: fields are grouped for readers, and a new one may stand anywhere.
@dataclass(frozen=True, kw_only=True)
class HuntSettings:
    """How to hunt; everything here is part of the campaign's plan.

    Parameters
    ----------
    region : str or Space, optional
        Where changed inputs may lie: ``linf:R``, ``l2:R`` or ``l0:SHARE``, R in the units of the data; of tables
        ``spread:R``; of sounds ``snr:DECIBELS``. By default spread:0.25 for tables, snr:30 for sounds, linf:0.1 for
        28x28 grey images, else linf:8/255, of values in [0, 1], and the same shares of any other range; linf:0.3 for
        images where a pattern is looked for.
    inputs : int
        Seeds: the first so many correctly classified inputs, or simply the first ones without labels.
    order : str or Ranking, optional
        Take inputs in the order of this table of ``unnerve rank`` (.csv or .parquet), the most suspect first.
    queries : int, optional
        Most queries per seed, one for a forward and one for a backward pass of one input; by default the method's own
        end, 1,000 with a fuzzer that has none.
    stop_at_first : bool
        Leave a seed alone after its first error, instead of going on for further kinds of errors.
    quantised : bool
        Errors must survive rounding to 8 bits, to exist as image files.
    oracle : str or Oracle, optional
        What is an error: ``misclassified`` (default with labels), ``changed`` (default without), ``becomes:CLASS``,
        ``disagreement`` (default with peers).
    target : int or str, optional
        Only answers of this class, by name or number, count (the oracle becomes:CLASS).
    reference : data, optional
        Data (its train split, where it has one) whose first 1,000 inputs show what neurons usually do, for methods
        that compare with that, such as deepsensor and deephunter; the tested data itself by default.
    peers : list of models, optional
        Further models for the same task, with commas between them, for methods that look for disagreement.
    seed : int
        The random seed: decides everything random.
    shard : int
        Seeds that are run and stored together; fewer of large inputs, 13 of photos of 224x224 pixels.
    pools : int
        Into how many pools the seeds are divided, for methods whose seeds share a corpus or a coverage map.
    proofs : int
        Of a model whose answers are unstable: in how many runs an error must show, every time, to be kept.
    """

    region: "str | Space | None" = field(default=None, metadata={"kind": "region"})
    inputs: int = 100
    order: "str | Any | None" = field(default=None, metadata={"metavar": "FILE"})
    queries: int | None = None
    stop_at_first: bool = False
    quantised: bool = False
    oracle: "str | Oracle | None" = field(default=None, metadata={"kind": "oracle"})
    target: int | str | None = field(default=None, metadata={"metavar": "CLASS"})
    reference: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    peers: "str | Any | None" = field(default=None, metadata={"metavar": "MODELS"})
    seed: int = 0
    shard: int = 50
    pools: int = 1
    proofs: int = 10

    def __post_init__(self) -> None:
        if self.target is not None and self.oracle is not None:
            raise InvalidSetting(f"target {self.target} is an oracle of its own; leave oracle '{self.oracle}' away")
        if isinstance(self.target, int) and self.target < 0:
            raise InvalidSetting(f"target must be >= 0, got {self.target}")
        if self.inputs < 1:
            raise InvalidSetting(f"the number of inputs must be >= 1, got {self.inputs}")
        for name in ("queries", "shard", "pools"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {value}")
        if not 2 <= self.proofs <= PROOFS:
            raise InvalidSetting(f"proofs must be in [2, {PROOFS}], got {self.proofs}")
        if not 0 <= self.seed < 2**64:
            raise InvalidSetting(f"seed must be in [0, 2**64), got {self.seed}")


@dataclass(frozen=True)
class PatternSettings:
    """Which inputs of uncommon confidence and uncertainty to look for, instead of errors.

    Parameters
    ----------
    pattern : str, optional
        LL (unsure but steady), HH (sure but unsteady), LH (right, but looks adversarial) or HL (wrong, but looks
        benign), for kuk and uncommon_ascent; a seed is done with its first.
    thresholds : str
        LOW,HIGH of PCS, then LOW,HIGH of VRO: what counts as L and H; with a pattern only.
    """

    pattern: str | None = None
    thresholds: str = "0.3,0.7,0.4,0.6"

    def __post_init__(self) -> None:
        self.limits  # noqa: B018 - settings are checked where they belong
        # Methods that have a goal of their own would be judged by its limits, not by these.
        if self.pattern is None and Thresholds.of(self.thresholds) != Thresholds():
            raise InvalidSetting(f"--thresholds needs --pattern, which says what they are for, got '{self.thresholds}'")

    @property
    def limits(self) -> PatternLimits | None:
        """What an input must keep to, if a pattern is asked for."""
        known = Thresholds.of(self.thresholds)
        return None if self.pattern is None else known.limits(self.pattern.upper())


@dataclass(frozen=True)
class RunSettings:
    """How to run; nothing here changes what is found.

    Parameters
    ----------
    resume : bool
        Go on with the campaign in the folder, if there is one.
    seconds : float, optional
        Stop the steps after so long; what is finished is kept, and a resumed run does the rest. What is measured
        afterwards (stability, smallest changes, coverage, embeddings, the draws of a map) takes its own time.
    step_seconds : float, optional
        Most time for one step of a method on the command line, or in a worker of Ray: a model from a file that takes
        longer is taken to hang, and its process is ended; before the first step and after the last one it may be silent
        for 120 seconds and sixteen such times; ``--seconds`` ends one that hangs, too.
    engine : str or Engine
        ``local`` (this process) or ``ray`` (many processes, many machines).
    address : str, optional
        With the engine ray: of a running cluster; one is started here without it.
    workers : int, optional
        Processor threads, or processes of the engine ray; as many as there are processors by default.
    progress : bool or callable
        True shows a bar; a function is called with a Progress.
    """

    resume: bool = False
    seconds: float | None = None
    step_seconds: float | None = None
    engine: "str | Engine" = "local"
    address: str | None = None
    workers: int | None = None
    progress: "bool | Callable[[Progress], None] | None" = field(default=None, metadata={"option": False})

    def __post_init__(self) -> None:
        for name in ("seconds", "step_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InvalidSetting(f"{name} must be > 0, got {value}")
        if isinstance(self.engine, str) and self.engine not in ("local", "ray"):
            raise InvalidSetting(f"engine must be local or ray, got '{self.engine}'")
        if self.address is None:  # a cluster may have more processors than this machine
            check_threads(self.workers)
        if self.address is not None and self.engine == "local":
            raise InvalidSetting("--address needs --engine ray")
