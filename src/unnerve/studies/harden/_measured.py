"""What a network bears: accuracy, attacks, CLEVER and replayed findings, each input by input, so that two compare."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import describe
from unnerve.core.naming.specification import several
from unnerve.core.progress import OnSteps, steps_shown
from unnerve.core.storage.files import whole_file
from unnerve.measure.robustness.clever import Clever
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.harden._chosen import Chosen, found_batches
from unnerve.studies.harden._repaired import right_answers
from unnerve.studies.harden.settings import HardenRun, HardenSettings
from unnerve.studies.hunt.hunt import CampaignRequest, run_campaign
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.score.clever_scores import clever_rows
from unnerve.subjects.adapters.torch_module import TorchModule

__all__ = ["Measured", "Measuring"]


@dataclass(frozen=True, eq=False)
class Measured:
    """What one network bears.

    Parameters
    ----------
    right : bool array of shape (N,)
        Which fresh inputs are answered correctly.
    broken : dict of str to dict of str to bool
        By attack and id: whether it breaks the input, of those that are answered correctly.
    clever : dict of str to float
        By id: CLEVER scores of the first fresh inputs, without those that have none.
    failing : dict of str to bool
        By the finding's id: whether it is answered wrongly.
    """

    right: np.ndarray
    broken: Mapping[str, Mapping[str, bool]]
    clever: Mapping[str, float]
    failing: Mapping[str, bool]


@dataclass(frozen=True, eq=False)
class Measuring:
    """How both networks are measured: on the same inputs, by the same attacks, with the same random numbers.

    Parameters
    ----------
    parts : Chosen
    errors : Campaign
        Whose findings are replayed.
    clever : Clever
    hunt : HuntSettings
        Of the attacks.
    settings : HardenSettings
    out : Path
        What is finished there is not measured again.
    run : HardenRun
    """

    parts: Chosen
    errors: Campaign
    clever: Clever
    hunt: HuntSettings
    settings: HardenSettings
    out: Path
    run: HardenRun

    def measured(self, model: TorchModule, name: str) -> Measured:
        """Measure one network, under ``before`` or ``after``."""
        fresh, count = self.parts.fresh, self.settings.clever_inputs
        # First, because it refuses what cannot be attacked before anything is written.
        request = CampaignRequest(several(self.settings.attacks), str(self.out / name))
        # As a bool: a function of the user's takes (done, total), and that of a hunt is called with a Progress.
        run = RunSettings(resume=self.run.resume, progress=bool(self.run.progress))
        broken = _broken(run_campaign(model, fresh.first(self.hunt.inputs), request, self.hunt, run))
        scores: dict[str, float] = {}
        if count:
            with steps_shown(self.run.progress, f"scoring {name}", "inputs") as on_steps:
                kept = self.out / f"clever-{name}.json"
                scores = _clever_values(model, fresh.first(count), self.clever, kept, on_steps)
        return Measured(right_answers(model, fresh).numpy(), broken, scores, _replayed(model, self.errors))


def _broken(campaign: Campaign) -> dict[str, dict[str, bool]]:
    return {
        label: {seed.id: bool(seed.errors) for seed in one.seeds if seed.failed is None}
        for label, one in campaign.tallies.items()
    }


def _clever_values(model: Classifier, fresh: Examples, clever: Clever, kept: Path, steps: OnSteps) -> dict[str, float]:
    """Return the CLEVER scores of fresh inputs by id, from a file if it was made for the same."""
    plan = {"model": model.identity(fresh.shape), "data": fresh.fingerprint, "clever": describe(clever)}
    try:
        noted = json.loads(kept.read_text())
    except (OSError, ValueError):
        noted = {}
    if noted.get("plan") != plan or "by_input" not in noted:
        scored, _ = clever_rows(model, fresh, clever, steps)
        noted = {"plan": plan, "by_input": {one.id: one.value for one in scored}}
        with whole_file(kept) as part:
            part.write_text(json.dumps(noted))
    return dict(noted["by_input"])


def _replayed(model: Classifier, campaign: Campaign) -> dict[str, bool]:
    """Return by id which findings of a campaign a model answers wrongly."""
    found: dict[str, bool] = {}
    for names, inputs, labels in found_batches(campaign):
        wrong = torch.ne(model.observe(inputs).predicted.cpu(), labels)
        found.update(zip(names, wrong.tolist(), strict=True))
    return found
