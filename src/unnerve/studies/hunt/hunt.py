"""Hunt: find inputs that fail, prove them, keep them in a folder that can be resumed."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any

from unnerve.campaign.campaign_run import CampaignRun
from unnerve.campaign.plan import HuntPlan, Plan, Source
from unnerve.campaign.records import recorded
from unnerve.campaign.run import rehearse
from unnerve.campaign.store import Store
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Call, called
from unnerve.core.data.versions import other_versions, versions
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Oracle, Space
from unnerve.core.model import Classifier, capability_names
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.option_text import method_text
from unnerve.core.naming.specification import several
from unnerve.generate.attacks.foreign.foreign import adopted
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.campaign.embedding import embedding_after
from unnerve.studies.campaign.hunted_model import dropout_details
from unnerve.studies.cover.cover_campaign import coverage_after
from unnerve.studies.cover.settings import CoverageSettings
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.hunt._context import Given, compared
from unnerve.studies.hunt._hunted_seeds import hunted_seeds
from unnerve.studies.hunt._ordered import ordered
from unnerve.studies.hunt._pattern_hunt import dropped_out, hunters_for, wanted_goal
from unnerve.studies.hunt._region import hunted_region, only_region, pattern_region, region_of
from unnerve.studies.hunt._shards_run import Progress
from unnerve.studies.hunt._smallest_changes import note_smallest_changes
from unnerve.studies.hunt._steady_run import run_steadily
from unnerve.studies.hunt._target import target_class
from unnerve.studies.hunt._usual import usual_oracle, usual_queries
from unnerve.studies.hunt.deadlines import answers_awaited
from unnerve.studies.hunt.settings import HuntSettings, PatternSettings, RunSettings
from unnerve.subjects.joined import joined

__all__ = [
    "CampaignRequest",
    "HuntSettings",
    "Progress",
    "RunSettings",
    "hunt",
    "hunters_text",
    "run_campaign",
]

_SHARD_BYTES = 2**28
_FINDINGS = 32
"""What the findings of a shard may take in memory, if each seed has so many of them."""


@flat()
def hunt(
    model: Any,
    data: Any,
    method: Any = "pgd",
    out: str | Path = "runs/hunt",
    *,
    settings: HuntSettings,
    pattern: PatternSettings,
    dropout: DropoutSettings,
    coverage: CoverageSettings,
    run: RunSettings,
) -> Campaign:
    """Hunt for failing inputs and keep what is proven.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    method : str, Hunter, an attack of your own, or a list of them
        Hunters with their settings, ``pgd:steps=40`` or ``pgd,deepfool``; or functions or attacks that ``foreign``
        takes. Each goes to its own end; :func:`unnerve.arena` gives all of them the same budget.
    out : str
        Folder of the campaign; anything that fsspec can reach.
    settings : HuntSettings
        What to hunt for; its fields are given as keywords: ``region="linf:0.1"``, ``inputs=100``, ``queries=200``.
    pattern : PatternSettings
        Inputs of uncommon confidence and uncertainty to look for, with ``kuk``: ``pattern="HL"``.
    dropout : DropoutSettings
        Of the draws, for methods that draw; its fields are given as keywords: ``dropout="vro=0.3"``, ``draws=50``.
    coverage : CoverageSettings
        What coverage to measure afterwards; its fields are given as keywords: ``coverage="all"``,
        ``profile="mnist5k"``; and ``embed=True`` for features of the last hidden layer.
    run : RunSettings
        How to run it; its fields are given as keywords: ``resume=True``, ``seconds=60``, ``progress=True``.

    Returns
    -------
    Campaign
        With ``findings`` (a table), ``tensors()``, ``summary()`` and ``report()``.

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.hunt("zoo:lenet5", "mnist5k", "pgd", "runs/first", region="linf:0.2", inputs=50)
    >>> found.findings.to_pandas()[["seed_id", "before", "after", "linf"]]
    """
    subject, whole = joined(model, data)
    cover = coverage_after(subject, whole, coverage, bool(run.progress))
    embed = embedding_after(subject, whole, coverage.embed)
    methods = several(method)
    call = called(hunt, {"method": hunters_text(methods), "out": str(out)}, settings, pattern, dropout, coverage)
    request = CampaignRequest(methods, str(out), call=call, pattern=pattern, dropout=dropout)
    campaign = run_campaign(subject, whole, request, settings, run)
    with answers_awaited(run):
        cover(campaign)
        embed(campaign)
    return campaign


@dataclass(frozen=True, eq=False)
class CampaignRequest:
    """What a verb asks of a campaign.

    Parameters
    ----------
    methods : sequence of str, Hunter, or attacks of others
    out : str
        Its folder.
    again : bool
        A method that has ended starts once more while its seeds have queries left.
    call : Call or None
        The verb with its settings, as they are to be repeated.
    pattern : PatternSettings
        What to look for instead of errors.
    dropout : DropoutSettings
        Of methods and oracles that draw.
    """

    methods: Sequence[Any]
    out: str
    again: bool = False
    call: Call | None = None
    pattern: PatternSettings = field(default_factory=PatternSettings)
    dropout: DropoutSettings = field(default_factory=DropoutSettings)


def hunters_text(methods: Sequence[Any]) -> str | None:
    """Return hunters and attacks of others as on the command line; None if another process cannot find one of them."""
    return method_text("hunter", [adopted(method) for method in methods])


def run_campaign(model: Any, data: Any, request: CampaignRequest, settings: HuntSettings, run: RunSettings) -> Campaign:
    """Run a campaign of one or several methods, from wherever it stands to its end."""
    store = Store(request.out)
    if not run.resume:
        store.check_free()  # now, not after the seeds were chosen
    subject, whole = joined(model, data)
    target = target_class(settings.target, whole)
    settings = replace(settings, target=target)
    hunters = hunters_for(request.methods, request.pattern, request.dropout)
    goal = wanted_goal(hunters, request.pattern, settings)
    # Before the first answer: what is mistyped shall not stand behind a warning of the model's accuracy.
    oracle = _oracle(hunters, whole, settings, goal)
    region_of(_region(hunters, whole, settings, oracle), whole)
    _check_different(hunters)
    subject = dropped_out(subject, whole, hunters, goal, request.dropout, settings.seed)
    offered = whole if settings.order is None else ordered(whole, settings.order)
    chosen = hunted_seeds(subject, offered, settings.inputs, target)
    # Inputs in an order of suspicion are no sample: what share of them is right says little about the others.
    accuracy = chosen.accuracy if settings.order is None else hunted_seeds(subject, whole, 1).accuracy
    accuracy.tell(subject.name)  # now, not after a long hunt
    seeds = chosen.seeds
    if settings.quantised and seeds.features is not None:
        raise InvalidSetting(f"--quantised is for images, got the table {seeds.name}")
    if settings.quantised and seeds.clips is not None:
        raise InvalidSetting(f"--quantised is for images, got speech, {seeds.name}")
    details: dict[str, Any] = {"looked_at": chosen.looked_at} if settings.order is None else {"ordered": True}
    known = {"features": seeds.features, "clips": seeds.clips, "accuracy": accuracy}
    details |= {name: one.to_json() for name, one in known.items() if one is not None}
    source = Source(seeds.name, seeds.fingerprint, details, opening_of(whole))
    plan = _plan(subject, seeds, source, replace(request, methods=hunters), settings, goal)
    plan, tested = compared(plan, subject, whole, Given(settings.reference, settings.peers))
    # One seed through every method before anything is written: what cannot run at all shall leave no folder behind.
    least = rehearse(plan, tested, seeds)
    with store.held():
        _tell_versions(store, run)
        store.begin(recorded(plan, seeds.shape, least), versions(), seeds, run.resume)
        begun = CampaignRun(plan, tested, seeds, store)
        run_steadily(begun, run)
        with answers_awaited(run):
            note_smallest_changes(begun)
    return Campaign(store)


def _oracle(hunters: Sequence[Any], data: Examples, settings: HuntSettings, goal: Oracle | None) -> Oracle:
    found: Oracle = build("oracle", goal or settings.oracle or usual_oracle(hunters, data, settings))
    return found


def _region(hunters: Sequence[Any], data: Examples, settings: HuntSettings, oracle: Oracle) -> str | Space | None:
    return settings.region or only_region(hunters) or pattern_region(oracle, data)


def _check_different(hunters: Sequence[Any]) -> None:
    """Refuse two equal methods: they would draw the same numbers, and find the same twice."""
    described = [describe(hunter) for hunter in hunters]
    doubled = next((one["name"] for place, one in enumerate(described) if one in described[:place]), None)
    if doubled is not None:
        raise InvalidSetting(f"'{doubled}' is named twice with the same settings")


def _plan(
    model: Classifier,
    seeds: Examples,
    source: Source,
    request: CampaignRequest,
    settings: HuntSettings,
    goal: Oracle | None,
) -> HuntPlan:
    hunters = tuple(request.methods)
    oracle = _oracle(hunters, seeds, settings, goal)
    return Plan(
        model=Source(
            model.name,
            model.identity(seeds.shape),
            {"offers": capability_names(model.offers), **dropout_details(model)},
            opening_of(model),
        ),
        data=source,
        methods=hunters,
        region=hunted_region(_region(hunters, seeds, settings, oracle), seeds),
        oracle=oracle,
        seeds=len(seeds),
        queries=usual_queries(hunters) if settings.queries is None else settings.queries,
        again=request.again,
        # Who looks for a pattern wants one input of each seed, as the paper does.
        keep_going=not settings.stop_at_first and goal is None,
        quantised=settings.quantised,
        proofs=settings.proofs,
        seed=settings.seed,
        shard=min(settings.shard, _shard_within_memory(seeds)),
        # Fewer seeds than were asked for may be there; a pool of none would be nothing to run.
        pools=min(settings.pools, len(seeds)),
        call=request.call,
    )


def _shard_within_memory(seeds: Examples) -> int:
    """Return the most seeds of a shard: what they find is in memory until it is stored."""
    return max(1, _SHARD_BYTES // (4 * prod(seeds.shape) * _FINDINGS))


def _tell_versions(store: Store, run: RunSettings) -> None:
    """Warn that a campaign goes on with other versions than it was begun with."""
    other = other_versions(store.header()["versions"]) if run.resume and store.folder.holds("campaign.json") else None
    if other:
        warnings.warn(f"{store.path}: {other}", stacklevel=2)
