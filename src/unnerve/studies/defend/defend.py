"""Defend: how well defences hold on clean inputs, on attacks, and on inputs of uncommon uncertainty."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidData, InvalidSetting, UnknownName
from unnerve.core.methods import Normed
from unnerve.core.naming.catalogue import build, describe, names
from unnerve.core.naming.command_text import command_text
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.option_text import method_text
from unnerve.core.naming.specification import several, specification
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.mend.adaptive.evasion import Evasion
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.defend.earlier import Earlier
from unnerve.studies.defend.groups import Group, clean_inputs, counts, found_groups, held_out_inputs, is_uncommon
from unnerve.studies.defend.held import Held
from unnerve.studies.defend.prepared import Prepared, prepared
from unnerve.studies.defend.result import ADAPTIVE, Defended
from unnerve.studies.defend.settings import DefendSettings
from unnerve.studies.defend.suited import UNSUITED, suited
from unnerve.studies.hunt._region import hunted_region
from unnerve.subjects.data import further_labelled
from unnerve.subjects.joined import joined

__all__ = ["defences_named", "defend"]


@flat()
def defend(
    model: Any,
    data: Any,
    against: str | Sequence[str | Campaign] = (),
    defences: str | Sequence[Any] = "all",
    *,
    settings: DefendSettings,
    progress: ShowProgress = None,
) -> Defended:
    """Test how well defences hold.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
        The data must have labels.
    against : str, or sequence of str or Campaign
        Folders of campaigns on the same model, with commas: of each method and seed the first finding is taken.
        Campaigns of a pattern (``hunt --pattern``) are uncommon inputs, all others and clean inputs common ones.
    defences : str, or sequence of str, Detector or transform
        ``all`` that the model and the data suit, or detectors, hardened models and input transforms with their
        settings, each of which must suit them: ``squeezing,mutation:mutants=500,jpeg:50``.
    settings : DefendSettings
        Its fields are given as keywords: ``inputs=200``.
    progress : bool or callable (defences done, defences in all), optional
        True shows a bar.

    Returns
    -------
    Defended

    Examples
    --------
    >>> import unnerve
    >>> held = unnerve.defend("zoo:lenet5", "mnist5k", "runs/pgd,runs/uncommon", "squeezing,jpeg:75")
    >>> print(held.text())
    """
    subject, examples = joined(model, data)
    if examples.labels is None:
        raise InvalidData(f"{examples.name}: defences are tested with labelled inputs, and it has no labels")
    # Names before campaigns and passes: a slip of the keyboard shall not cost minutes.
    everything = isinstance(defences, str) and defences == "all"
    chosen, left_out = suited(subject, defences_named(defences), examples, everything)
    earlier = None if settings.learnt is None else Earlier.at(settings.learnt, subject, examples)
    campaigns = [one if isinstance(one, Campaign) else Campaign.at(one) for one in _several(against)]
    settings = replace(settings, region=_region_text(settings, campaigns, examples))
    attacked = {str(seed.id) for one in campaigns for tally in one.tallies.values() for seed in tally.seeds}
    clean, accuracy, looked_at = clean_inputs(subject, examples, settings.inputs)
    accuracy.tell(subject.name)
    if earlier is not None:
        earlier.check_tested(examples, attacked | set(examples.ids()[:looked_at]))
    # Twice as many rows as are tested are left alone; a model that is mostly wrong has its right answers farther on.
    held_out = held_out_inputs(examples, range(max(2 * len(clean.labels), looked_at)), settings, attacked)
    training = held_out if settings.training is None else further_labelled(settings.training, examples, "train")
    groups = [clean, *(group for one in campaigns for group in found_groups(subject, one))]
    # Without a defence first: what the others are compared with.
    rows = [Held("none", "none", one.name, one.uncommon, *counts(one, one.predicted == one.labels)) for one in groups]
    rows += _adaptive(Prepared("none", "none", subject, subject), clean, examples, settings)
    ready: dict[str, Prepared] = {}
    with steps_shown(progress, "defending", "defences") as on_steps:
        for done, (text, defence) in enumerate(chosen, start=1):
            try:
                known = None if earlier is None else earlier.prepared(subject, text, defence)
                ready[text] = known or prepared(subject, text, defence, held_out, training)
            except UNSUITED as problem:
                if not everything:
                    raise
                left_out[text] = problem.command_line
            else:
                rows += [*_held(ready[text], groups), *_adaptive(ready[text], clean, examples, settings)]
            on_steps(done, len(chosen))
    own = {"defences": _defences_text(defences)}
    if campaigns:
        own["against"] = ",".join(one.store.path for one in campaigns)
    provenance = Provenance(called(defend, own, settings), opening_of(subject), opening_of(examples))
    shown = tuple(one.shown(examples.classes) for one in groups if one.uncommon)
    return Defended(
        model=subject.name,
        data=examples.name,
        rows=tuple(rows),
        calibration={text: one.calibration for text, one in ready.items() if one.calibration},
        calibrated_with=len(held_out),
        provenance=provenance,
        shown=shown,
        value_range=examples.value_range,
        region=settings.region,
        trained_with=len(training),
        accuracy=accuracy,
        identity=subject.identity(examples.shape),
        learnt_from=tuple(dict.fromkeys([*held_out.ids(), *(earlier.learnt_from(examples) if earlier else ())])),
        hardened={text: one.answers for text, one in ready.items() if one.kind == "model"},
        left_out=left_out,
    )


def _held(ready: Prepared, groups: Sequence[Group]) -> list[Held]:
    """Return how a defence holds on every group of inputs."""
    rights = [(one, ready.right(one.inputs, one.labels, one.predicted)) for one in groups]
    return [Held(ready.text, ready.kind, one.name, one.uncommon, *counts(one, right)) for one, right in rights]


def _region_text(settings: DefendSettings, campaigns: Sequence[Campaign], data: Examples) -> str | None:
    """Return where attacks that know a defence look: where the attacks did, if that is one ball; None if nowhere."""
    if not settings.adaptive or settings.region is not None:
        return settings.region
    # A smaller region than the campaigns' would make every defence look better against those who know it.
    # Those that look for errors go first: uncommon inputs lie elsewhere, KuK's at linf 0.3 beside attacks of any size.
    attacks = [one for one in campaigns if not is_uncommon(one)] or campaigns
    common = {one.plan.region.text for one in attacks if one.plan.region.norm in ("linf", "l2")}
    return common.pop() if len(common) == 1 else command_text(hunted_region(None, data))


def _adaptive(ready: Prepared, clean: Group, data: Examples, settings: DefendSettings) -> list[Held]:
    """Return how the defence holds against attacks that know it; nothing if that is not asked for."""
    if not settings.adaptive:
        return []
    count = min(settings.adaptive_inputs, len(clean.labels))
    region = hunted_region(settings.region, data)
    if not isinstance(region, Normed):
        raise InvalidSetting(f"region must be a ball of a norm, linf:R or l2:R, got {settings.region}")
    holds = ready.withstands(clean.inputs[:count], clean.labels[:count], region, Evasion(settings.steps))
    return [Held(ready.text, ready.kind, ADAPTIVE, False, count, count, int(holds.sum()))]


def _several(given: str | Sequence[Any]) -> list[Any]:
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else list(given)


def defences_named(given: str | Sequence[Any]) -> list[tuple[str, Any]]:
    """Return detectors and transforms, each with its text."""
    known = {**dict.fromkeys(names("transform"), "transform"), **dict.fromkeys(names("defence"), "defence")}
    wanted = [*names("defence"), *names("transform")] if given == "all" else several(given)
    found: list[tuple[str, Any]] = []
    for one in wanted:
        if not isinstance(one, str):
            found.append((str(describe(one)["name"]), one))
            continue
        kind = known.get(specification(one).name.replace("-", "_").lower())
        if kind is None:
            raise UnknownName("defence", one, list(known))
        found.append((one, build(kind, one)))
    if len({text for text, _ in found}) < len(found):
        raise InvalidSetting("every defence must be named once")
    return found


def _defences_text(given: str | Sequence[Any]) -> str | None:
    """Return defences as the command names them, each with its settings; None if no command can name one of them."""
    if isinstance(given, str):
        return given
    # Two kinds stand in one list, and no name is in both.
    texts = [method_text("defence", one) or method_text("transform", one) for one in given]
    return None if None in texts else ",".join(map(str, texts))
