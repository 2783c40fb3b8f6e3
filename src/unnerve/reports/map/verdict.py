"""The sentence at the top of a map's report: which metric tells attacks from benign inputs, and how sure that is."""

from collections.abc import Mapping
from dataclasses import dataclass

from unnerve.reports.parts.campaigns import unfinished
from unnerve.reports.parts.cards import accuracy_warnings
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import between, count, percent, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.parts.regions import region_words
from unnerve.reports.parts.thumbnails import input_noun
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["Areas", "BestMetric", "best_metric", "caveats", "hl_counts", "verdict"]

Areas = Mapping[str, Mapping[str, Interval]]
"""AUC by group and metric."""


@dataclass(frozen=True)
class BestMetric:
    """The metric that tells attacks from benign inputs best, on average over groups.

    Parameters
    ----------
    metric : str
    mean : float
        Of its AUC, over groups.
    worst : str
        The group that it tells worst.
    area : Interval
        Its AUC there.
    clear : bool
        For at least one group the interval lies above chance.
    groups : int
    """

    metric: str
    mean: float
    worst: str
    area: Interval
    clear: bool
    groups: int


def best_metric(areas: Areas) -> BestMetric | None:
    """Return the best metric; None if no attack found anything."""
    if not areas:
        return None
    mean = {metric: sum(by[metric].mean for by in areas.values()) / len(areas) for metric in METRICS}
    best = max(mean, key=lambda metric: mean[metric])
    worst = min(areas, key=lambda name: areas[name][best].mean)
    clear = any(by[best].low > 0.5 for by in areas.values())
    return BestMetric(best, mean[best], worst, areas[worst][best], clear, len(areas))


def verdict(found: UncertaintyMap, areas: Areas, shape: tuple[int, ...]) -> tuple[Phrase, ...]:
    """Return the first sentence of the report, without adjectives."""
    best, what = best_metric(areas), input_noun(shape)
    model = Phrase(display_name(found.campaign.plan.model.name, 60), "name")
    total = len(found.groups["benign"])
    if not total:
        return (Phrase("Nothing has been measured yet of "), model, Phrase("."))
    if best is None:
        where = region_words(found.campaign.plan.region, shape)
        nothing = Phrase(f"{where[0].upper()}{where[1:]}, no attack found an error of ")
        seeds = Phrase(count(total, what), "figure")
        return (nothing, model, Phrase(" on "), seeds, Phrase(": nothing to tell them from."))
    metric, area = Phrase(METRICS[best.metric], "figure"), Phrase(significant(best.mean), "figure")
    if not best.clear:
        none = (Phrase(f"No metric tells attacked from benign {what} of "), model, Phrase(": the best, "), metric)
        return (*none, Phrase(", has an AUC of "), area, Phrase("; 0.5 is chance."))
    told = (metric, Phrase(f" tells attacked from benign {what} of "), model, Phrase(" best: AUC "), area)
    return (*told, *_worst(best), Phrase("; 0.5 is chance."))


def caveats(found: UncertaintyMap, areas: Areas, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return how sure the verdict is, and what it leaves out."""
    best, what = best_metric(areas), input_noun(shape)
    said = [*accuracy_warnings(found.campaign.accuracy, found.campaign.plan.model.name)]
    if best is not None:
        name = display_name(best.worst, 60)
        said.append(f"95 % interval of the AUC for {name}: {between(*best.area.ci95)} (over {what}).")
        said.append(f"{METRICS[best.metric]} was chosen among five metrics afterwards; all of them stand in the table.")
        benign, attacked = (part / max(1, total) for part, total in hl_counts(found))
        said.append(
            f"{percent(benign)} of the benign and {percent(attacked)} of the attacked {what} are HL: the model is sure "
            "of them and stays so under dropout."
        )
    silent = [display_name(name, 60) for name, group in found.groups.items() if not len(group) and name != "benign"]
    if silent:
        said.append(f"Found nothing: {', '.join(silent)}.")
    failed = {seed.id for one in found.campaign.tallies.values() for seed in one.seeds if seed.failed is not None}
    if failed:
        said.append(f"{count(len(failed), 'seeds')} could not be attacked by every method; unnerve report tells why.")
    return (*said, *unfinished([found.campaign]))


def hl_counts(found: UncertaintyMap) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return (how many are HL, of how many) of the benign and of the attacked inputs."""
    counts = found.patterns()
    attacked = [counts[name] for name in found.attacks]
    return (
        (counts["benign"]["HL"], sum(counts["benign"].values())),
        (sum(one["HL"] for one in attacked), sum(sum(one.values()) for one in attacked)),
    )


def _worst(best: BestMetric) -> tuple[Phrase, ...]:
    name = Phrase(display_name(best.worst, 60), "name")
    if best.groups == 1:
        return (Phrase(" for "), name)
    return (Phrase(" on average, "), Phrase(significant(best.area.mean), "figure"), Phrase(" for "), name)
