"""The sentence at the top of the page on defences, and what stands beside it."""

from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import count, percent
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.defend.leader import Leader
from unnerve.studies.defend.result import ADAPTIVE, CLEAN, Defended

__all__ = ["caveats", "verdict"]


def verdict(found: Defended) -> tuple[Phrase, ...]:
    """Return which defence does best, on attacked inputs if there were any, and what it costs on clean ones."""
    kind, best = _deciding(found)
    if best is None:
        return (Phrase("No defence was tested."),)
    words, name = found.kinds()[kind], Phrase(display_name(best.first.defence, 40), "name")
    several = len(found.defences) - ("none" in found.defences) > 1
    share = Phrase(percent(best.first.share.mean), "figure")
    opening = (
        (Phrase(f"Of {count(len(found.defences) - 1, 'defences')} "), name, Phrase(f" does best on {words}: "))
        if several
        else (name, Phrase(f", on {words}: "))
    )
    return (*opening, share, Phrase(" right"), *_without(found, kind), *_cost(found, kind, best), Phrase("."))


def caveats(found: Defended) -> tuple[str, ...]:
    """Return who ties with the best, and what was not tested."""
    said = [] if found.accuracy is None else found.accuracy.loud()
    kind, best = _deciding(found)
    if best is not None and best.alike:
        alike = ", ".join(f"{display_name(one.defence, 40)} ({percent(one.share.mean)})" for one in best.alike)
        said.append(f"Not told apart from it (Fisher\u2019s exact test at 5 %, each by itself): {alike}.")
    if not any(row.uncommon for row in found.rows):
        said.append("No uncommon inputs were tested; hunts with --pattern find some.")
    if all(row.group != ADAPTIVE for row in found.rows):
        said.append("No attack here knows the defence, and what holds may fall to one that does: --adaptive.")
    else:
        known = best and kind != ADAPTIVE and found.over(best.first.defence, ADAPTIVE)
        share = f", and it got {percent(known.share.mean)} right" if known else ""
        said.append(f"Attacks that know a defence looked in {found.region}{share}.")
    return (*said, *found.warnings)


def _deciding(found: Defended) -> tuple[str, Leader | None]:
    """Return the kind of inputs that the headline is of, and the best defence on them."""
    kind = next(iter(found.kinds()), CLEAN)
    return kind, found.best(kind)


def _without(found: Defended, kind: str) -> tuple[Phrase, ...]:
    bare = found.over("none", kind)
    return () if bare is None else (Phrase(", without a defence "), Phrase(percent(bare.share.mean), "figure"))


def _cost(found: Defended, kind: str, best: Leader) -> tuple[Phrase, ...]:
    clean, bare = found.over(best.first.defence, CLEAN), found.over("none", CLEAN)
    if kind == CLEAN or clean is None:
        return ()
    if bare is not None and bare.share.mean == clean.share.mean:
        return (Phrase("; on clean inputs "), Phrase(percent(clean.share.mean), "figure"), Phrase(", as without it"))
    instead = () if bare is None else (Phrase(" instead of "), Phrase(percent(bare.share.mean), "figure"))
    return (Phrase("; on clean inputs "), Phrase(percent(clean.share.mean), "figure"), *instead)
