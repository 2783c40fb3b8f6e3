"""React: which neurons react when inputs become errors, those of a campaign or of a short hunt."""

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Reaction
from unnerve.core.model import require
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import several
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.hunt.hunt import CampaignRequest, hunters_text, run_campaign
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.react.reactions import reactions
from unnerve.studies.react.result import Reactions
from unnerve.studies.react.settings import ReactSettings
from unnerve.subjects.joined import joined

__all__ = ["react"]

_METHODS = "pgd,class_tour,guided,deepsensor"


@flat(inputs=50, queries=500)
def react(
    model: Any,
    data: Any,
    campaign: str | Path | Campaign | None = None,
    *,
    methods: str | Sequence[Any] | None = None,
    settings: ReactSettings,
    hunt: HuntSettings,
    progress: ShowProgress = None,
) -> Reactions:
    """Measure which neurons react when inputs become errors, against noise of the same size.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    campaign : Campaign, or where it is, optional
        Of hunts for errors of this model, from seeds of these data; a short hunt without it.
    methods : str, or sequence of str or Hunter, optional
        Of the short hunt; pgd, class_tour, guided and deepsensor by default.
    settings : ReactSettings
        How reactions are measured; its fields are given as keywords: ``reaction="owen"``, ``threshold=0.02``.
    hunt : HuntSettings
        Of the short hunt; its fields are given as keywords: ``region="linf:0.2"``. 50 inputs and 500 queries for each
        if nothing else is said.
    progress : bool or callable (pairs done, pairs in all), optional
        True shows a bar.

    Returns
    -------
    Reactions

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.react("zoo:lenet5", "mnist5k", methods="pgd", region="linf:0.2", inputs=20)
    >>> found.share("pgd"), found.share("pgd", noise=True)
    """
    if campaign is not None and (methods is not None or hunt.region is not None):
        raise InvalidSetting("--methods and --region are for a short hunt; --campaign brings its own")
    subject, inputs = joined(model, data)
    # Before the hunt: what cannot be measured is refused at once.
    measure: Reaction = build("reaction", settings.reaction)
    require(subject, measure.needs, str(describe(measure)["name"]))
    named = several(_METHODS if methods is None else methods)
    with tempfile.TemporaryDirectory(prefix="unnerve") as folder:
        if campaign is None:
            # Only findings matter here, so that the hunt's own folder is thrown away.
            run = RunSettings(progress=bool(progress))
            errors = run_campaign(subject, inputs, CampaignRequest(named, f"{folder}/hunt", again=True), hunt, run)
        else:
            errors = campaign if isinstance(campaign, Campaign) else Campaign.at(campaign)
        with steps_shown(progress, "reacting", "pairs") as on_steps:
            found = reactions(subject, inputs, errors, settings, seed=hunt.seed, progress=on_steps)
    given: dict[str, str | bool | None] = {} if methods is None else {"methods": hunters_text(named)}
    if campaign is not None:
        given["campaign"] = errors.store.path
    provenance = Provenance(called(react, given, settings, hunt), opening_of(subject), opening_of(inputs))
    return replace(found, campaign=found.campaign if campaign else "a short hunt", provenance=provenance)
