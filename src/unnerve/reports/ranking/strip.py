"""Which inputs the page shows, in which order, and what it says of each."""

from dataclasses import dataclass

import numpy as np

from unnerve.reports.parts.names import class_name, printable
from unnerve.reports.parts.numbers import confidence, percent, significant
from unnerve.reports.parts.thumbnails import LIMIT, Thumbnail, thumbnails
from unnerve.reports.ranking.verdict import noun
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["POINTS", "Shown", "Strip", "shown_inputs", "strip_note", "strips"]

# Each point carries its hover text: beyond this the page grows and the cloud looks the same.
POINTS = 1500
_FIRST, _SPREAD = 40, 20


@dataclass(frozen=True)
class Strip:
    """The ranks that one score's strip shows, from 0: the most suspect inputs, then some down to the least suspect."""

    first: tuple[int, ...]
    spread: tuple[int, ...]


@dataclass(frozen=True)
class Shown:
    """One input, as the page shows it; ``scores`` and ``ranks`` (from 1) are by name of the score."""

    id: str
    label: str | None
    wrong: bool
    predicted: str
    runner_up: str
    confidence: str
    eff: float
    eff_text: str
    successes: str
    scores: dict[str, str]
    ranks: dict[str, int]
    picture: Thumbnail | None


def strips(proof: RankingProof) -> dict[str, Strip]:
    """Return each score's strip; all are shortened alike until their pictures together keep to the limit."""
    orders = [one.order for one in proof.scores.values()]
    total = len(proof.candidates)
    # Scores that disagree need more pictures together than scores that agree, so the length is found by trying.
    for share in (1.0, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05):
        strip = _strip(total, max(1, int(_FIRST * share)), int(_SPREAD * share))
        ranks = [*strip.first, *strip.spread]
        if len(np.unique(np.concatenate([order[ranks] for order in orders]))) <= LIMIT:
            break
    return dict.fromkeys(proof.scores, strip)


def _strip(total: int, first: int, spread: int) -> Strip:
    if total <= first + spread:
        return Strip(tuple(range(total)), ())
    # Even steps to the very last: a good order must be seen to end with inputs that nothing breaks.
    rest = np.rint(np.linspace(first, total - 1, spread)).astype(int) if spread else np.array([], dtype=int)
    return Strip(tuple(range(first)), tuple(sorted({int(rank) for rank in rest})))


def strip_note(proof: RankingProof, strip: Strip) -> str:
    """Say in words which inputs the strip shows."""
    total, what = len(proof.candidates), noun(proof)
    if not strip.spread:
        if len(strip.first) == total:
            return f"All {total} {what}, the most suspect first." if total > 1 else f"The only one of the {what}."
        return f"The {len(strip.first)} most suspect of {total:,} {what}."
    steps = f"then {len(strip.spread)} at even steps down to the least suspect of {total:,} {what}"
    return f"The {len(strip.first)} most suspect, {steps}."


def shown_inputs(proof: RankingProof, chosen: dict[str, Strip]) -> dict[int, Shown]:
    """Return what is said of the inputs in the strips (with pictures) and of those in the charts (without), by row."""
    ranks = {name: np.argsort(one.order) + 1 for name, one in proof.scores.items()}
    pictured = sorted(
        {int(proof.scores[name].order[rank]) for name, s in chosen.items() for rank in (*s.first, *s.spread)}
    )
    pictures = thumbnails(proof.candidates, pictured[:LIMIT])
    rows = sorted({*pictured, *range(min(POINTS, len(proof.candidates)))})
    ids, labels = proof.candidates.ids(rows), proof.candidates.label_array()
    return {
        row: _shown(
            proof, row, printable(identity), None if labels is None else int(labels[row]), ranks, pictures.get(row)
        )
        for row, identity in zip(rows, ids, strict=True)
    }


def _shown(
    proof: RankingProof,
    row: int,
    identity: str,
    label: int | None,
    ranks: dict[str, np.ndarray],
    picture: Thumbnail | None,
) -> Shown:
    classes, scored, tries = proof.candidates.classes, proof.scored, proof.trial.tries
    eff = float(proof.eff[row])
    return Shown(
        id=identity,
        label=None if label is None else class_name(classes, label),
        wrong=label is not None and label != int(scored.predicted[row]),
        predicted=class_name(classes, int(scored.predicted[row])),
        runner_up=class_name(classes, int(scored.runner_up[row])),
        confidence=confidence(float(scored.confidence[row])),
        eff=eff,
        eff_text=percent(eff),
        successes=f"{round(eff * tries):,} of {tries:,} tries changed it",
        scores={name: significant(float(scored.scores[name][row])) for name in proof.scores},
        ranks={name: int(ranks[name][row]) for name in proof.scores},
        picture=picture,
    )
