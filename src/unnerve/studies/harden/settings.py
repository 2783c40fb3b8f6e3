"""What can be said of hardening a network; the command's options are these fields."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.progress import ShowProgress

if TYPE_CHECKING:
    from unnerve.core.methods import Space
    from unnerve.mend.repairs._repair import Repair

__all__ = ["HardenRun", "HardenSettings"]


@dataclass(frozen=True)
class HardenSettings:
    """How a network is hardened, and how the change is measured.

    Parameters
    ----------
    repair : str or Repair
        How it is trained, with settings such as ``retrain:epochs=5,rate=0.0003``.
    attacks : str or list of hunters
        What both networks are attacked with anew.
    train : data, optional
        Benign inputs to train on instead of the findings' seeds; of a name its train split.
    validation : data, optional
        Decides when to stop; some of DATA by default.
    region : str or Space, optional
        Where changed inputs may lie; the campaign's by default.
    inputs : int
        Fresh inputs that are attacked; accuracy is measured on all fresh inputs.
    clever : str
        How CLEVER is measured, with its settings: ``clever:norm=linf``.
    clever_inputs : int
        Fresh inputs whose CLEVER score is measured; 0 for none; too few show no rise for sure.
    validation_inputs : int
        Of DATA, how many inputs are kept for deciding when to stop; without a validation set of its own.
    tolerance : float
        Clean accuracy that may be lost on the validation set, in [0, 1).
    patience : int
        Training ends after so many epochs beyond the tolerance, >= 1.
    seed : int
        The random seed: decides everything random.
    """

    repair: "str | Repair" = field(default="retrain", metadata={"kind": "repair"})
    attacks: "str | Any" = field(default="pgd,fgsm,deepfool,jsma,apgd", metadata={"kind": "hunter"})
    train: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    validation: "str | Any | None" = field(default=None, metadata={"metavar": "DATA"})
    region: "str | Space | None" = field(default=None, metadata={"kind": "region"})
    inputs: int = 100
    clever: "str | Any" = field(default="clever", metadata={"kind": "robustness measure"})
    clever_inputs: int = 50
    validation_inputs: int = 1000
    tolerance: float = 0.02
    patience: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        rules = [
            (self.inputs >= 1, f"the number of inputs must be >= 1, got {self.inputs}"),
            (self.clever_inputs >= 0, f"--clever-inputs must be >= 0, got {self.clever_inputs}"),
            (self.validation_inputs >= 1, f"--validation-inputs must be >= 1, got {self.validation_inputs}"),
            (0 <= self.tolerance < 1, f"tolerance must be in [0, 1), got {self.tolerance}"),
            (self.patience >= 1, f"patience must be >= 1, got {self.patience}"),
        ]
        for holds, message in rules:
            if not holds:
                raise InvalidSetting(message)


@dataclass(frozen=True)
class HardenRun:
    """How hardening is run; nothing here changes what comes of it.

    Parameters
    ----------
    resume : bool
        Go on with what is in the folder.
    progress : bool or callable (done, total), optional
        True shows bars.
    """

    resume: bool = False
    progress: ShowProgress = field(default=None, metadata={"option": False})
