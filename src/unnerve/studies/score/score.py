"""Score: how robust a model is, by CLEVER or by the success of attacks."""

import time
from dataclasses import replace
from typing import Any

from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Provenance, called
from unnerve.core.errors import UnknownName
from unnerve.core.naming.callables import looks_like_python
from unnerve.core.naming.catalogue import build, names
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import several, specification
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.protocols.robustness import RobustnessMeasure
from unnerve.measure.robustness.clever import Clever
from unnerve.studies.accuracy.accuracy import measured
from unnerve.studies.hunt.settings import HuntSettings, RunSettings
from unnerve.studies.score.attack_success import attack_success, default_attacks
from unnerve.studies.score.clever_scores import clever_scores
from unnerve.studies.score.result import Robustness
from unnerve.studies.score.settings import ATTACK_SUCCESS, ScoreSettings
from unnerve.subjects.joined import joined

__all__ = ["score"]


@flat()
def score(model: Any, data: Any, *, settings: ScoreSettings, progress: ShowProgress = None) -> Robustness:
    """Measure how robust a model is.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    settings : ScoreSettings
        What is measured; its fields are given as keywords: ``measure="clever:norm=linf,radius=0.3"``, ``inputs=20``.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Robustness

    Examples
    --------
    >>> import unnerve
    >>> found = unnerve.score("zoo:lenet5", "mnist5k", measure="attack_success", region="linf:0.1", inputs=20)
    >>> found.mean.mean, found.mean.ci95
    """
    start = time.perf_counter()
    subject, whole = joined(model, data)
    if settings.measure == ATTACK_SUCCESS:
        attacks = default_attacks(subject) if settings.attacks is None else several(settings.attacks)
        hunt = HuntSettings(
            region=settings.region,
            inputs=settings.inputs,
            queries=settings.queries,
            stop_at_first=True,
            seed=settings.seed,
        )
        found = attack_success(subject, whole, attacks, hunt, RunSettings(progress=bool(progress)))
    else:
        measure: RobustnessMeasure = build("robustness measure", _known(settings.measure))
        if isinstance(measure, Clever):
            # The random seed of the verb decides, unless the measure was given one of its own.
            measure = measure if measure.seed else replace(measure, seed=settings.seed)
        tested = whole.first(settings.inputs)
        accuracy = measured(subject, tested)
        accuracy.tell(subject.name)
        with steps_shown(progress, "scoring", "inputs") as on_steps:
            found = replace(clever_scores(subject, tested, measure, on_steps), doubts=accuracy.doubts)
    provenance = Provenance(called(score, {}, settings), opening_of(subject), opening_of(whole))
    return replace(found, seconds=time.perf_counter() - start, provenance=provenance)


def _known(measure: Any) -> Any:
    """Return a measure; a name that is none is refused with all that are, also the one that is no method."""
    known = names("robustness measure")
    name = specification(measure).name if isinstance(measure, str) else ""
    if name and not looks_like_python(name) and name.replace("-", "_").lower() not in known:
        raise UnknownName("measure", measure, [*known, ATTACK_SUCCESS])
    return measure
