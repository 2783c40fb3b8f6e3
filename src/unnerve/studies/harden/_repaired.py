"""Further training of a network: guarded by a validation set, kept after every epoch, resumable."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from unnerve.core.data.examples import Examples
from unnerve.core.methods import Space
from unnerve.core.naming.catalogue import describe
from unnerve.core.progress import OnSteps
from unnerve.mend.repairs._repair import Repair, RepairContext
from unnerve.studies.harden._chosen import Chosen
from unnerve.studies.harden.settings import HardenSettings
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.adapters.trainable import Trainable, own_module, trainable_copy
from unnerve.subjects.training.checkpoint import Checkpoint
from unnerve.subjects.training.loop import Epoch, train
from unnerve.subjects.weights import fill, recipe_of, save_weights

__all__ = ["Kept", "repaired", "right_answers"]


@dataclass(frozen=True)
class Kept:
    """Which weights are kept.

    Parameters
    ----------
    epoch : int
        The last one within the tolerance; 0 for the weights before.
    epochs : int
        How many were run.
    before, after : float
        Clean accuracy on the validation set, of the weights before and of those that are kept.
    """

    epoch: int
    epochs: int
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class _Guard:
    """Looks at the validation set after each epoch, and keeps the weights while too little is lost there."""

    model: TorchModule
    validation: Examples
    least: float
    patience: int
    path: Path
    run: Mapping[str, Any]
    before: float

    def __call__(self, epoch: Epoch) -> bool:
        """Keep the weights or not; returns whether to stop."""
        now = accuracy(self.model, self.validation)
        if now >= self.least:
            self.keep(Kept(epoch.number, epoch.number, self.before, now))
        # Read from the file, so that a resumed training waits no longer than one that was not stopped.
        return epoch.number - self.kept().epoch >= self.patience

    def keep(self, kept: Kept) -> None:
        """Write the weights, and which they are."""
        save_weights(own_module(self.model), self.path, {"run": self.run, "kept": asdict(kept)})

    def kept(self) -> Kept:
        """Return which weights are kept."""
        return Kept(**recipe_of(self.path)["kept"])


def repaired(
    model: TorchModule,
    parts: Chosen,
    repair: Repair,
    region: Space,
    settings: HardenSettings,
    out: Path,
    steps: OnSteps,
) -> tuple[TorchModule, Kept]:
    """Train a copy of a model further, and return it with the weights that are kept.

    Parameters
    ----------
    model : TorchModule
        It is left as it is.
    parts : Chosen
    repair : Repair
    region : Space
        Where attacks that are part of the training may lead.
    settings : HardenSettings
    out : Path
        Folder: ``weights.safetensors`` holds the weights that are kept so far, ``training.checkpoint`` where an
        unfinished training stands.
    steps : callable (done, total)
    """
    copied, recipe = trainable_copy(model), repair.recipe(settings.seed)
    run = {
        "model": model.identity(parts.training.shape),
        "data": [parts.training.fingerprint, parts.validation.fingerprint],
        "repair": describe(repair),
        "recipe": asdict(recipe),
        "tolerance": [settings.tolerance, settings.patience],
    }
    path, ended = out / "weights.safetensors", out / "training.done"
    before = accuracy(copied, parts.validation)
    guard = _Guard(copied, parts.validation, before - settings.tolerance, settings.patience, path, run, before)
    # Weights of another run must not pass for this one's. If no epoch keeps the tolerance, those before are kept.
    if not (path.exists() and recipe_of(path).get("run") == run):
        ended.unlink(missing_ok=True)
        guard.keep(Kept(0, 0, before, before))
    if not ended.exists():
        context = RepairContext(copied, region, settings.seed)
        module: nn.Module = Trainable(copied, parts.training.batch(range(min(32, len(parts.training)))).inputs)
        epochs = train(
            module,
            parts.training,
            recipe,
            steps,
            guard,
            Checkpoint(out / "training.checkpoint", run),
            lambda batch, step: repair.batch(batch, step, context),
        )
        ended.write_text(str(len(epochs)))
        # After the mark, not before: killed in between, the training would begin anew.
        (out / "training.checkpoint").unlink(missing_ok=True)
    kept = guard.kept()
    # The last epoch is not always the one that is kept.
    fill(own_module(copied), path)
    copied.module.eval()
    return copied, Kept(kept.epoch, int(ended.read_text()), kept.before, kept.after)


def accuracy(model: TorchModule, data: Examples) -> float:
    """Return the share of labelled inputs that are answered correctly."""
    return float(right_answers(model, data).double().mean())


def right_answers(model: TorchModule, data: Examples) -> torch.Tensor:
    """Return which inputs are answered correctly, bool (N,)."""
    parts = [torch.eq(model.observe(batch.inputs).predicted.cpu(), _labels(batch.labels)) for batch in data.batches()]
    return torch.cat(parts)


def _labels(labels: torch.Tensor | None) -> torch.Tensor:
    assert labels is not None
    return labels
