"""What can be said of a test of defences; the command's options are these fields."""

from dataclasses import dataclass, field

from unnerve.core.errors import InvalidSetting

__all__ = ["DefendSettings"]


@dataclass(frozen=True)
class DefendSettings:
    """How to test defences.

    Parameters
    ----------
    inputs : int
        Clean inputs that defences are tested with: the first so many that the model gets right, at most a third of the
        data.
    calibration : int
        Clean inputs that detectors learn from: the last so many of the data, none of which is tested or was attacked.
    training : str, optional
        Data that hardened models are trained on, as DATA; without, the inputs that detectors learn from, which are few.
    learnt : str, optional
        Figures that an earlier run on the same model wrote (FILE.json of --out): detectors and hardened models that it
        knows, with the same settings, are taken from there instead of being made anew.
    adaptive : bool
        Attack every defence with attacks that know it.
    adaptive_inputs : int
        Clean inputs that are attacked so.
    region : str, optional
        Where such attacks look, such as linf:0.1 or l2:1.5; by default where the campaigns did, if all that look
        for errors did so in one such region, else as for a hunt.
    steps : int
        Of such attacks, >= 2.
    """

    inputs: int = 500
    calibration: int = 500
    training: str | None = None
    learnt: str | None = field(default=None, metadata={"metavar": "FILE"})
    adaptive: bool = False
    adaptive_inputs: int = 50
    region: str | None = None
    steps: int = 60

    def __post_init__(self) -> None:
        for name, least in (("inputs", 1), ("calibration", 1), ("adaptive_inputs", 1), ("steps", 2)):
            if getattr(self, name) < least:
                raise InvalidSetting(f"{name} must be >= {least}, got {getattr(self, name)}")
