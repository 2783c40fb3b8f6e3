"""All figures of all scores, as cells that can be shown and sorted."""

import math

from unnerve.measure.curves.eff_d import eff_d
from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.reports.parts.numbers import between, percent, percent_between, significant
from unnerve.reports.parts.tables import Cell, Table
from unnerve.reports.ranking.verdict import bound_words
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.rank.ranking_proof import RankingProof, ScoreProof
from unnerve.studies.rank.run_costs import Runs, examples_tried

__all__ = ["cost_table", "fit_table"]


def cost_table(proof: RankingProof) -> Table:
    """Return what each order costs and finds, with the random orders as rows beneath."""
    columns = (
        ("order", ""),
        ("tries", "to the first failure"),
        ("inputs tried", "to the first failure"),
        ("Inc", "tries saved against random"),
        ("Inc, Eff > 0", "against random of Eff > 0"),
        ("APFD", "vulnerable inputs, 0.5 = chance"),
        ("APFD, wrong", "misclassified inputs, 0.5 = chance"),
        ("runs without error", "counted as all tries made"),
    )
    rows = [_cost_row(one) for one in proof.scores.values()]
    total, effective = len(proof.candidates), proof.f_measure_random_effective
    rows.append(_random_row("random order", proof.f_measure_random, proof.random, total))
    if effective is not None:
        rows.append(_random_row("random, Eff > 0", effective, proof.random_effective, total))
    return Table("What the first error costs in each order, with 95 % intervals", columns, tuple(rows))


def fit_table(proof: RankingProof) -> Table:
    """Return how steeply Eff falls along each order."""
    kinds = ("100 rank bins", "ranks, point by point", "metric scaled to 0..1")
    columns = (("order", ""), *((symbol, kind) for kind in kinds for symbol in "abr"), ("Eff-D", "by |b| of the bins"))
    marks = eff_d({name: one.fit.b for name, one in proof.scores.items()})
    rows = tuple(
        (
            Cell(name, key=name),
            *_fit(one.fit),
            *_fit(one.fit_points),
            *_fit(one.fit_metric),
            Cell(marks[name], key=marks[name]),
        )
        for name, one in proof.scores.items()
    )
    return Table("Exponential fits Eff = a exp(-b x)", columns, rows)


def _cost_row(one: ScoreProof) -> tuple[Cell, ...]:
    return (
        Cell(one.score, key=one.score),
        _interval(one.f_measure, one.runs),
        _interval(one.examples, one.runs),
        _saved(one.inc, one.runs),
        _saved(one.inc_effective, one.runs),
        _area(one.apfd),
        _area(one.apfd_misclassified),
        _censored(one.runs),
    )


def _random_row(name: str, cost: Interval, runs: Runs, total: int) -> tuple[Cell, ...]:
    tried = examples_tried(runs, total)
    return (Cell(name, key=name), _interval(cost, runs), _interval(tried, runs), *[Cell("-")] * 4, _censored(runs))


def _fit(fit: ExponentialFit) -> tuple[Cell, Cell, Cell]:
    return _number(fit.a), _number(fit.b), _number(fit.r)


def _interval(value: Interval, runs: Runs) -> Cell:
    return Cell(bound_words(runs) + significant(value.mean), between(*value.ci95) if len(runs) > 1 else "", value.mean)


def _saved(value: Interval | None, runs: Runs) -> Cell:
    if value is None or all(run.censored for run in runs):
        return Cell("-")
    return Cell(percent(value.mean), percent_between(*value.ci95) if len(runs) > 1 else "", value.mean)


def _area(value: Interval | None) -> Cell:
    return Cell("-") if value is None else Cell(significant(value.mean), between(*value.ci95), value.mean)


def _number(value: float | None) -> Cell:
    return Cell(significant(value), key=None if value is None or math.isnan(value) else value)


def _censored(runs: Runs) -> Cell:
    lost = sum(run.censored for run in runs)
    return Cell(f"{lost} of {len(runs)}", key=lost)
