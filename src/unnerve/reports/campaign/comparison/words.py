"""What a comparison of two models says, in sentences and in a few lines for a terminal."""

from pathlib import Path

from unnerve.reports.campaign.comparison.seeds import Comparison
from unnerve.reports.campaign.first.next_step import export_command
from unnerve.reports.parts.campaigns import unfinished
from unnerve.reports.parts.commands import command_line
from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import between, count, percent_between, significant
from unnerve.reports.parts.phrases import Phrase

__all__ = ["MOST_IDS", "comparison_text", "doubts", "headline", "model_names", "next_command", "tone", "why"]

MOST_IDS = 24
"""More ids would make a command that nobody reads."""
_BRIEF = 8
"""Characters of an id that export takes for it."""


def model_names(found: Comparison) -> tuple[str, str]:
    """Return what the two models are called: by their names, with the folders where these are equal."""
    named = [display_name(one.plan.model.name, 40) for one in (found.old, found.new)]
    if named[0] == named[1]:
        named = [
            f"{name} ({display_name(one.store.path, 40)})"
            for name, one in zip(named, (found.old, found.new), strict=True)
        ]
    return named[0], named[1]


def tone(found: Comparison) -> str:
    """Return whether the new model is ``better`` or ``worse`` by more than chance, else ``unclear``."""
    low, high = found.difference.ci95
    return "better" if high < 0 else "worse" if low > 0 else "unclear"


def headline(found: Comparison, noun: str) -> tuple[Phrase, ...]:
    """Return on how many inputs either model fails."""
    old, new = model_names(found)
    fails, failed = (len(found.still) + len(part) for part in (found.worse, found.fixed))
    return (
        Phrase(new, "name"),
        Phrase(" fails on "),
        Phrase(f"{count(fails)} of {count(found.seeds, noun)}", "figure"),
        Phrase(", "),
        Phrase(old, "name"),
        Phrase(f" on {count(failed)}."),
    )


def why(found: Comparison) -> str:
    """Return the difference with its interval, and whether it is more than chance."""
    points, low, high = (100 * one for one in (found.difference.mean, *found.difference.ci95))
    sure = {
        "better": "The new model is harder to break, by more than chance.",
        "worse": "The new model is easier to break, by more than chance.",
        "unclear": "That may be chance.",
    }[tone(found)]
    return f"Difference: {significant(points)} points (95 %: {between(low, high)}). {sure}"


def doubts(found: Comparison, noun: str) -> tuple[str, ...]:
    """Return what the comparison leaves out, and what its words do not promise."""
    said = ["Fixed means that the same search found nothing, not that there is nothing."]
    if found.only_old or found.only_new:
        left = f"{count(found.only_old, noun)} of the old run and {count(found.only_new)} of the new one are left out"
        said.append(f"{left}: the other run did not hunt them, mostly because its model gets them wrong unchanged.")
    return (*said, *unfinished([found.old, found.new]))


def comparison_text(found: Comparison, report: str | Path | None = None) -> str:
    """Tell the comparison in plain text."""
    sides = zip(("old", "new"), model_names(found), (False, True), strict=True)
    lines = [
        "".join(phrase.text for phrase in headline(found, "inputs")),
        why(found),
        f"fixed {count(len(found.fixed))}, newly broken {count(len(found.worse))}, "
        f"still broken {count(len(found.still))}, held {count(len(found.held))}",
        *(f"{side}: {name}, {percent_between(*found.share(new).ci95)} fail (95 %)" for side, name, new in sides),
        *doubts(found, "inputs"),
    ]
    lines += [] if report is None else [f"Report: {printable(str(report))}"]
    # Where nothing is newly broken, what still is remains to be looked at.
    still = export_command(found.new) if found.still else ""
    following = "" if report is None else next_command(found) or still
    return "\n".join([*lines, *([f"Next: {following}"] if following else [])])


def next_command(found: Comparison) -> str:
    """Return the command that writes the nearest findings of newly broken seeds as files; empty if there are none."""
    if not found.worse:
        return ""
    path, nearest = found.new.store.path, _nearest(found)
    known = found.new.smallest_changes
    order = sorted(nearest, key=lambda seed: (known.get(seed, float("inf")), nearest[seed]))
    ids = ",".join(nearest[seed][1][:_BRIEF] for seed in order[:MOST_IDS])
    return command_line(["unnerve", "export", path, "--to", f"{path}-newly-broken", "--ids", ids])


def _nearest(found: Comparison) -> dict[str, tuple[float, str]]:
    """Return the L2 change and the id of the nearest finding of every newly broken seed."""
    wanted, nearest = set(found.worse), dict[str, tuple[float, str]]()
    for _, table, _ in found.new.store.shards(["seed_id", "l2", "id"]):
        for row in table.to_pylist():
            one, seed = (float(row["l2"]), str(row["id"])), str(row["seed_id"])
            if seed in wanted and one < nearest.get(seed, (float("inf"), "")):
                nearest[seed] = one
    return nearest
