"""Order inputs by how easily each will be turned into an error, most suspect first."""

import time
from typing import Any

from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import InvalidSetting
from unnerve.core.methods import Score
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.option_text import method_text
from unnerve.core.naming.specification import several
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.rank.comparison import Order, comparison, method_name, named_method
from unnerve.studies.rank.draws import check_draws
from unnerve.studies.rank.result import Ranking
from unnerve.studies.rank.scored import most_suspect_first, scored
from unnerve.studies.rank.settings import RankSettings
from unnerve.subjects.joined import joined

__all__ = ["rank"]


@flat()
def rank(
    model: Any,
    data: Any,
    score: str | Score = "pd",
    *,
    settings: RankSettings,
    dropout: DropoutSettings,
    progress: ShowProgress = None,
) -> Ranking:
    """Rank a data set with one forward pass per input; data larger than memory is read in blocks.

    Scores of dropout, such as ``vro``, need further passes, and a model with dropout.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    score : str, function, or a list of one of them
        A score's name, or a function from probabilities (N, C) to (N,), higher = more suspect; or an order by
        coverage, such as ``coverage_additional:kmnc``.
    settings : RankSettings
        What the order rests on; its fields are given as keywords: ``reference="mnist5k"``, ``seed=1``.
    dropout : DropoutSettings
        For scores of dropout; its fields are given as keywords: ``dropout=0.4``, ``draws=50``.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> import unnerve
    >>> order = unnerve.rank("zoo:lenet5", "mnist5k", "pd")
    >>> order.to_pandas().head()
    """
    start = time.perf_counter()
    asked = several(score)
    # Two scores would make two orders.
    if len(asked) > 1:
        raise InvalidSetting(f"one score makes an order, got {len(asked)}; unnerve.evaluate_ranking compares several")
    (score,) = asked
    method = named_method(score)
    check_draws([method], dropout)
    opened, inputs = joined(model, data)
    name = method_name(method) if isinstance(score, str) else getattr(score, "__name__", "score")
    subject = dropping(opened, inputs, dropout, settings.seed)
    against = comparison(subject, inputs, {name: method}, settings.reference)
    with steps_shown(progress, "ranking", "inputs") as on_steps:
        answers = scored(
            subject, inputs, {name: method}, seed=settings.seed, draws=dropout.count, against=against, progress=on_steps
        )
    answers.accuracy(inputs).tell(subject.name)
    order = most_suspect_first(answers.scores[name])
    call = called(rank, {"score": _score_text(score)}, settings, dropout)
    provenance = Provenance(call, opening_of(subject), opening_of(inputs))
    return Ranking(name, order, answers, inputs, time.perf_counter() - start, provenance)


def _score_text(score: str | Score) -> str | None:
    """Return a score or an order in words; None for a function."""
    if isinstance(score, str) and isinstance(named_method(score), Order):
        return method_text("order", score)
    return method_text("score", score)
