"""Which method of an arena wins, and who ties with it."""

from collections.abc import Sequence
from dataclasses import dataclass

from unnerve.reports.campaign.compared_methods import ComparedMethod, unlike
from unnerve.reports.campaign.evidence import Evidence
from unnerve.reports.campaign.first.leaderboard import apart
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent_between
from unnerve.reports.parts.phrases import Phrase

__all__ = ["Winner", "winner"]

_NAMED = 4


@dataclass(frozen=True)
class Winner:
    """What an arena's first line says.

    Parameters
    ----------
    label : str
        The winner's; empty if there is none.
    headline : tuple of Phrase
    lead : tuple of Phrase
        Who comes next, and by how much.
    """

    label: str
    headline: tuple[Phrase, ...]
    lead: tuple[Phrase, ...]


def winner(evidence: Evidence) -> Winner | None:
    """Return who wins; None unless two methods or more hunted under the same conditions and found anything.

    More seeds broken win. Among methods that no test tells apart in that, more kinds of errors win.
    """
    methods = [method for method in evidence.methods if method.intervals]
    if len(methods) < 2 or not len(evidence.found) or unlike(evidence.campaigns):
        return None
    best, others = methods[0], methods[1:]
    tied = [one for one in others if not apart(evidence, best.label, one.label, "seeds_broken")]
    behind = [one for one in others if one not in tied]
    if not tied:
        words = f" wins: it breaks {_broken(best)} {evidence.noun}"
        return Winner(best.label, (_name(best), Phrase(words)), _next(behind))
    level = [best, *tied]
    front = max(level, key=lambda one: one.counts.error_categories)
    rest = [one for one in level if one is not front]
    if all(apart(evidence, front.label, one.label, "error_categories") for one in rest):
        words = f" wins on kinds of errors: {count(front.counts.error_categories)}; "
        tie = f" {'tie' if len(rest) > 1 else 'ties'} with it on {evidence.noun} broken ({_span(level)})"
        return Winner(front.label, (_name(front), Phrase(words), *_names(rest), Phrase(tie)), _next(behind))
    words = f" tie: no test tells them apart on {evidence.noun} broken ({_span(level)})"
    return Winner("", (*_names(level), Phrase(words)), _next(behind))


def _next(behind: Sequence[ComparedMethod]) -> tuple[Phrase, ...]:
    if not behind:
        return (Phrase("No method is behind by more than chance, at 95 %."),)
    first = behind[0]
    interval = percent_between(*first.intervals["seeds_broken"].ci95)
    said = (Phrase("Behind by more than chance: "), _name(first), Phrase(f" with {_broken(first)} ({interval})"))
    if len(behind) == 1:
        return (*said, Phrase("."))
    return (*said, Phrase(f"; so {'is' if len(behind) == 2 else 'are'} "), *_names(behind[1:]), Phrase("."))


def _names(methods: Sequence[ComparedMethod]) -> tuple[Phrase, ...]:
    shown = [_name(one) for one in methods[:_NAMED]]
    left = len(methods) - len(shown)
    ends = [*shown, Phrase(f"{left} more")] if left else shown
    joints = [Phrase(", ")] * max(0, len(ends) - 2) + [Phrase(" and ")] * (len(ends) > 1)
    return tuple(part for pair in zip(ends, [*joints, Phrase("")], strict=True) for part in pair)


def _name(method: ComparedMethod) -> Phrase:
    return Phrase(display_name(method.label, 40), "name")


def _broken(method: ComparedMethod) -> str:
    return f"{count(method.counts.seeds_broken)} of {count(method.counts.inputs)}"


def _span(level: Sequence[ComparedMethod]) -> str:
    counts = sorted({one.counts.seeds_broken for one in level})
    hunted = count(max(one.counts.inputs for one in level))
    return f"{counts[0]} of {hunted}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} of {hunted}"
