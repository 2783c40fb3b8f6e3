"""The answer of a page on coverage: what is exercised, what is not, what to do next."""

from dataclasses import dataclass

from unnerve.reports.cover.bars import lead
from unnerve.reports.parts.commands import following_command, repeating_command
from unnerve.reports.parts.criteria import criterion_words
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.cover.result import Addition, Cover

__all__ = ["FirstScreen", "first_screen", "next_step"]

_HUNT = "runs/cover-hunt"


@dataclass(frozen=True)
class FirstScreen:
    """What stands on the first screen.

    Parameters
    ----------
    headline, why : tuple of Phrase
    reason, command : str
        The next step; the command is empty if there is none.
    """

    headline: tuple[Phrase, ...]
    why: tuple[Phrase, ...]
    reason: str
    command: str


def first_screen(found: Cover) -> FirstScreen:
    """Return what was learnt, and what to do."""
    reason, command = next_step(found)
    return FirstScreen(_headline(found), _why(found), reason, command)


def next_step(found: Cover) -> tuple[str, str]:
    """Return a reason and a command, complete; both empty where no command follows from what is known."""
    source = found.provenance and found.provenance.data and found.provenance.data.source
    if found.left_out and source:
        left = ", ".join(sorted(found.left_out))
        return f"{left} compare with what the neurons do on training data:", repeating_command(
            found.provenance, profile=str(source)
        )
    if not found.additions and found.provenance is not None:
        reason = f"hunt for errors by the neurons that react; --also {_HUNT} then shows what they add here:"
        return reason, following_command(found.provenance, "hunt", method="deepsensor", out=_HUNT)
    if found.provenance is not None:
        reason = "coverage does not say which inputs fail; this puts the most suspect first:"
        return reason, following_command(found.provenance, "rank")
    return "", ""


def _headline(found: Cover) -> tuple[Phrase, ...]:
    key = lead(found)
    state = found.states[key]
    met = criterion_words(found.criteria[key]).met
    of = "" if state.total is None else f" of {count(state.total)}"
    return (
        Phrase(f"{count(state.covered)}{of}", "figure"),
        Phrase(f" {met} {count(found.inputs, 'inputs')}."),
    )


def _why(found: Cover) -> tuple[Phrase, ...]:
    key = lead(found)
    shares = found.states[key].shares()
    said: list[Phrase] = []
    if len(shares) > 1:
        least = min(shares, key=lambda name: shares[name])
        said += [
            Phrase("Least exercised layer, by "),
            Phrase(display_name(key, 40), "name"),
            Phrase(": "),
            Phrase(display_name(least, 40), "name"),
            Phrase(f", {percent(shares[least])}. "),
        ]
    if any(one.inputs for one in found.additions):
        said += _added(found, key)
    return (*said, Phrase("Coverage says what inputs exercise, not whether the model fails on them."))


def _added(found: Cover, lead: str) -> list[Phrase]:
    """Return which further inputs add most to the criterion of the headline, or, if none does, to any other."""
    key = lead if any(_gain(found, lead)) else max(found.states, key=lambda one: _gain(found, one))
    share, gained = _gain(found, key)
    most = _most(found, key)
    whose = [Phrase(f" by {count(most.inputs, 'inputs')} of "), Phrase(display_name(most.data, 40), "name")]
    if not gained:
        return [Phrase("Nothing is added"), *whose, Phrase(", by any criterion. ")]
    none = [] if key == lead else [Phrase("Nothing is added to "), Phrase(display_name(lead, 40), "name"), Phrase(". ")]
    points = f" ({significant(100 * share)} points)" if share else ""
    name = Phrase(display_name(key, 40), "name")
    return [*none, Phrase("Most is added to "), name, *whose, Phrase(f": {count(gained)} more{points}. ")]


def _gain(found: Cover, key: str) -> tuple[float, int]:
    """Return the largest gain in a criterion: as a share, 0 where there is no total, and as a number."""
    alone = found.states[key]
    gained = _most(found, key).states[key].covered - alone.covered
    return (gained / alone.total if alone.total else 0.0), gained


def _most(found: Cover, key: str) -> Addition:
    return max((one for one in found.additions if one.inputs), key=lambda one: one.states[key].covered)
