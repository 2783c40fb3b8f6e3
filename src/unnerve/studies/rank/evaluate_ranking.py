"""Whether a ranking is worth having: Eff, F-measure, Inc, APFD and fits against random order (NSATP, PEACEPACT)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import opening_of
from unnerve.core.data.provenance import Call, Provenance, called
from unnerve.core.methods import Perturbation
from unnerve.core.model import Classifier
from unnerve.core.naming.catalogue import build
from unnerve.core.naming.keywords import flat
from unnerve.core.naming.specification import several
from unnerve.core.progress import OnSteps, ShowProgress, steps_shown
from unnerve.core.streams import Streams
from unnerve.measure.curves.eff import eff
from unnerve.measure.curves.exponential_fit import exponential_fit, rank_bins
from unnerve.measure.curves.f_measure import FMeasure, f_measure
from unnerve.studies.dropout.dropping import dropping
from unnerve.studies.dropout.settings import DropoutSettings
from unnerve.studies.intervals.apfd import apfd
from unnerve.studies.rank.comparison import comparison, method_name, named_method
from unnerve.studies.rank.draws import check_draws
from unnerve.studies.rank.perturbed_copies import Draws, FirstSuccesses, perturbed_answers
from unnerve.studies.rank.ranking_proof import RankingProof, ScoreProof
from unnerve.studies.rank.run_costs import Runs, examples_tried, generations, saved
from unnerve.studies.rank.scored import Scored, most_suspect_first, scored
from unnerve.studies.rank.settings import RankingTrial, RankSettings
from unnerve.subjects.joined import joined

__all__ = ["BASELINES", "evaluate_ranking"]

BASELINES = ("pd", "pv", "pe", "gini", "margin", "max_probability")


@flat()
def evaluate_ranking(
    model: Any,
    data: Any,
    scores: str | Sequence[str] = BASELINES,
    *,
    settings: RankSettings,
    trial: RankingTrial,
    dropout: DropoutSettings,
    progress: ShowProgress = None,
) -> RankingProof:
    """Prove rankings by trying to turn inputs into errors.

    Every score orders the same random candidates; every order is walked with the same perturbations.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    scores : str, or sequence of str
        Names of scores and of orders by coverage; ``random`` is always compared with and need not be named.
    settings : RankSettings
        As for :func:`unnerve.rank`; its fields are given as keywords: ``reference="mnist5k"``.
    trial : RankingTrial
        How they are tested; its fields are given as keywords: ``inputs=1000``, ``tries=100``.
    dropout : DropoutSettings
        For scores of dropout; its fields are given as keywords: ``dropout=0.4``, ``draws=50``.
    progress : bool or callable (candidates done, candidates in all), optional
        True shows a bar.

    Returns
    -------
    RankingProof

    Examples
    --------
    >>> import unnerve
    >>> proof = unnerve.evaluate_ranking("zoo:lenet5", "mnist5k", "pd,gini", inputs=200, tries=50)
    >>> proof.summary()["inc"]
    """
    start = time.perf_counter()
    named = several(scores)
    chosen = {method_name(method): method for method in map(named_method, named)}
    check_draws(chosen.values(), dropout)
    opened, everything = joined(model, data)
    judge = dropping(opened, everything, dropout, trial.seed)
    # At random, since files are often sorted by class.
    candidates = _candidates(everything, trial)
    against = comparison(judge, everything, chosen, settings.reference)
    answers = scored(judge, candidates, chosen, seed=trial.seed, draws=dropout.count, against=against)
    accuracy = answers.accuracy(candidates)
    accuracy.tell(judge.name)
    walks = _Walks(judge, candidates, answers, build("perturbation", trial.perturbation), trial)
    with steps_shown(progress, "trying", "inputs") as on_steps:
        successes, to_runner_up = walks.outcomes(on_steps)
    ratio = eff(successes).numpy()
    runs = walks.runs(ratio)
    most = len(candidates) * trial.tries
    labels = candidates.label_array()
    wrong = None if labels is None else answers.predicted != labels
    return RankingProof(
        trial=trial,
        model=judge.name,
        data=everything.name,
        candidates=candidates,
        scored=answers,
        eff=ratio,
        runner_up_share=float(to_runner_up.sum() / successes.sum()) if bool(successes.any()) else float("nan"),
        scores={name: _proof(walks, name, ratio, wrong, runs) for name in chosen},
        random=runs[_RANDOM],
        random_effective=runs[_EFFECTIVE],
        f_measure_random=generations(runs[_RANDOM], most),
        f_measure_random_effective=generations(runs[_EFFECTIVE], most) if runs[_EFFECTIVE] else None,
        accuracy=accuracy,
        seconds=time.perf_counter() - start,
        provenance=Provenance(_call(named, settings, trial, dropout), opening_of(judge), opening_of(everything)),
    )


def _call(scores: list[str], settings: RankSettings, trial: RankingTrial, dropout: DropoutSettings) -> Call:
    """Return the call of ``rank --evaluate``; that compares with the baselines by itself, so they are not named."""
    # The trial last: its random seed is the one that was used, where both have one.
    call = called(evaluate_ranking, {}, settings, trial, dropout)
    # The command puts the baselines behind what was asked for: the shortest beginning that leads to this list was
    # asked.
    implied = (asked for asked in range(1, len(scores)) if list(dict.fromkeys([*scores[:asked], *BASELINES])) == scores)
    asked = ",".join(scores[: next(implied, len(scores))])
    named = {} if asked == "pd" else {"score": asked}
    return Call("rank", {"evaluate": True, **named, **call.settings}, call.only_in_python)


_RANDOM, _EFFECTIVE = "random order", "random order of Eff > 0"


def _candidates(data: Examples, trial: RankingTrial) -> Examples:
    rows = Streams(trial.seed, ["candidates"]).permutations(0, 0, len(data))[0]
    return data.take(rows[: trial.inputs].tolist())


@dataclass(frozen=True, eq=False)
class _Walks:
    """What all orders have in common: the model, the candidates, and the perturbations they meet."""

    model: Classifier
    candidates: Examples
    answers: Scored
    perturbation: Perturbation
    trial: RankingTrial

    def order(self, score: str) -> np.ndarray:
        return most_suspect_first(self.answers.scores[score])

    def outcomes(self, progress: OnSteps) -> tuple[torch.Tensor, torch.Tensor]:
        """Return which tries changed the answer, and which of them to the runner-up, both bool (N, M)."""
        seen: list[torch.Tensor] = []
        done = 0
        for part in perturbed_answers(self.model, self.candidates, range(len(self.candidates)), self._draws(0)):
            seen.append(part)
            done += len(part)
            progress(done, len(self.candidates))
        predicted = torch.cat(seen)
        changed = predicted != torch.from_numpy(self.answers.predicted).unsqueeze(1)
        return changed, changed & (predicted == torch.from_numpy(self.answers.runner_up).unsqueeze(1))

    def runs(self, ratio: np.ndarray) -> dict[str, Runs]:
        """Walk every order in every repeat; within a repeat all orders meet the same perturbations."""
        orders = {name: self.order(name) for name in self.answers.scores}
        runs: dict[str, list[FMeasure]] = {name: [] for name in (*orders, _RANDOM, _EFFECTIVE)}
        shuffles = Streams(self.trial.seed, ["orders"])
        predicted = torch.from_numpy(self.answers.predicted)
        # Draw 0 is the one from which Eff was taken: walking it again would count the same luck twice.
        for repeat in range(1, self.trial.repeats + 1):
            first = FirstSuccesses(self.model, self.candidates, predicted, self._draws(repeat))
            shuffled = shuffles.permutations(repeat, 0, len(self.candidates))[0].numpy()
            walks = orders | {_RANDOM: shuffled}
            # The papers' random order walks only inputs with Eff > 0, which nobody knows beforehand: shown beside ours.
            if (ratio > 0).any():
                walks[_EFFECTIVE] = shuffled[ratio[shuffled] > 0]
            for name, order in walks.items():
                runs[name].append(f_measure(first.along(order.tolist()), self.trial.tries))
        return {name: tuple(many) for name, many in runs.items()}

    def _draws(self, step: int) -> Draws:
        return Draws(self.perturbation, self.trial.seed, step, self.trial.tries)


def _proof(walks: _Walks, name: str, ratio: np.ndarray, wrong: np.ndarray | None, runs: dict[str, Runs]) -> ScoreProof:
    order = walks.order(name)
    most = len(order) * walks.trial.tries
    sorted_eff = torch.from_numpy(ratio[order])
    # Middles of the ranks: input r of N stands for all that lies between r / N and (r + 1) / N.
    places = (torch.arange(len(order)) + 0.5) / len(order)
    # Turned around: the papers fit against the metric, in which the most suspect inputs come first.
    values = -torch.from_numpy(walks.answers.scores[name][order]).double()
    metric = (values - values.amin()) / (values.amax() - values.amin()).clamp_min(1e-12)
    return ScoreProof(
        score=name,
        order=order,
        runs=runs[name],
        f_measure=generations(runs[name], most),
        examples=examples_tried(runs[name], len(order)),
        inc=saved(runs[_RANDOM], runs[name], most),
        inc_effective=saved(runs[_EFFECTIVE], runs[name], most) if runs[_EFFECTIVE] else None,
        apfd=apfd(ratio[order] > 0),
        apfd_misclassified=None if wrong is None else apfd(wrong[order]),
        fit=exponential_fit(*rank_bins(sorted_eff)),
        fit_points=exponential_fit(places, sorted_eff),
        fit_metric=exponential_fit(metric, sorted_eff),
    )
