"""Figures of a map at a glance, each with what is good and what is bad."""

from unnerve.reports.map.verdict import Areas, best_metric, hl_counts
from unnerve.reports.parts.cards import Card, accuracy_card
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import between, count, percent, percent_between, significant
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.map.result import METRICS, UncertaintyMap

__all__ = ["map_cards"]


def map_cards(found: UncertaintyMap, areas: Areas, noun: str) -> tuple[Card, ...]:
    """Return the report's cards."""
    benign, attacked = hl_counts(found)
    return (
        _area(areas),
        _hl_share("benign", noun, *benign, "the rest would raise an alarm for nothing; 100 % is best"),
        _hl_share("attacked", noun, *attacked, "these look like benign ones to both metrics; 0 is best"),
        _together(found, noun),
        _steady(found),
        accuracy_card(found.campaign.accuracy, f"accuracy on the {noun} looked at", "groups"),
    )


def _area(areas: Areas) -> Card:
    best = best_metric(areas)
    if best is None:
        return Card("-", "attacked and benign told apart (AUC)", "needs an attack that finds something", "auc")
    name = f"attacked and benign told apart by {METRICS[best.metric]} (AUC)" + (
        f", mean of {best.groups} groups" if best.groups > 1 else ""
    )
    worst = f"{display_name(best.worst, 40)}: {significant(best.area.mean)} ({between(*best.area.ci95)})"
    return Card(significant(best.mean), name, f"0.5 = chance, 1 = every pair; worst for {worst}", "auc")


def _hl_share(which: str, noun: str, part: int, total: int, meaning: str) -> Card:
    name = f"of the {which} {noun} are HL: sure and steady"
    if not total:
        return Card("-", name, f"there are no {which} {noun}", "patterns")
    interval = percent_between(*proportion(part, total).ci95)
    note = f"{count(part)} of {count(total)}; {meaning}; 95 % interval {interval}"
    return Card(percent(part / total), name, note, "patterns")


def _together(found: UncertaintyMap, noun: str) -> Card:
    name = "correlation of confidence (PCS) and uncertainty (VRO)"
    value = found.correlation()["all"]
    if value is None:
        return Card("-", name, "needs values that differ", "correlation")
    return Card(significant(value), name, f"over all {noun}; at -1 the second tells nothing new", "correlation")


def _steady(found: UncertaintyMap) -> Card:
    early = found.stability().get("benign", {})
    if not early:
        return Card("-", "steadiness of VRO", f"{count(found.draws, 'draws')} are too few to tell", "draws")
    draws, apart = max(early.items())
    name = f"mean distance of benign VRO after {draws} draws to that after {found.draws}"
    return Card(significant(apart), name, "0 = more draws change nothing", "draws")
