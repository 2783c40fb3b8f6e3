"""The sentence at the top of the page on reactions, and what stands beside it."""

from itertools import combinations

from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, percent
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.react.result import Reactions

__all__ = ["caveats", "most_pairs", "shared", "verdict"]


def verdict(found: Reactions) -> tuple[Phrase, ...]:
    """Return the first sentence of the page, without adjectives."""
    method = most_pairs(found)
    return (
        Phrase("To errors of "),
        Phrase(display_name(method, 40), "name"),
        Phrase(", "),
        Phrase(percent(found.share(method)), "figure"),
        Phrase(f" of the neurons are {printable(found.words.exceeding)}; to noise of the same size, "),
        Phrase(percent(found.share(method, noise=True)), "figure"),
        Phrase("."),
    )


def most_pairs(found: Reactions) -> str:
    """Return the method of the headline: the one with most pairs, of which most is known; the first of several."""
    return max(found.methods, key=lambda method: found.methods[method].pairs)


def caveats(found: Reactions) -> tuple[str, ...]:
    """Return how sure the verdict is, and what it leaves out."""
    method = most_pairs(found)
    one = found.methods[method]
    said = [f"Means over {count(one.pairs, 'pairs')} of a seed and its smallest error.", _standing_out(found, method)]
    if one.noise_errors:
        said.append(f"The noise made {count(one.noise_errors)} of them fail too.")
    overlap = shared(found)
    if overlap is not None:
        said.append(
            f"Two methods share {percent(overlap)} of their {found.count} strongest neurons on average; by chance it "
            f"would be {percent(found.chance)}."
        )
    if found.nothing:
        said.append(f"Nothing was found by {', '.join(display_name(name, 40) for name in found.nothing)}.")
    return tuple(said)


def shared(found: Reactions) -> float | None:
    """Return the mean overlap of the strongest neurons of every two methods; None if there is only one."""
    pairs = [found.overlap(one, other) for one, other in combinations(found.methods, 2)]
    return sum(pairs) / len(pairs) if pairs else None


def _standing_out(found: Reactions, method: str) -> str:
    errors, noise = found.layer_shares(method), found.layer_shares(method, noise=True)
    # Against noise and not by itself: late layers react to everything.
    layer = max(errors, key=lambda name: errors[name] - noise[name])
    against = f"{percent(errors[layer])} against {percent(noise[layer])}"
    return f"Errors stand out most in {display_name(layer, 40)}: {against}."
