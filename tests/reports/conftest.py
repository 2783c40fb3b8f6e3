"""Ranking proofs made by hand (no network is trained or asked), and a browser."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from tests.reports.browsing import Visit, launched, visiting
from unnerve.core.data.examples import Examples
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.measure.curves.exponential_fit import exponential_fit, rank_bins
from unnerve.measure.curves.f_measure import FMeasure, f_measure
from unnerve.studies.accuracy.accuracy import Accuracy
from unnerve.studies.intervals.apfd import apfd
from unnerve.studies.rank.ranking_proof import RankingProof, ScoreProof
from unnerve.studies.rank.run_costs import examples_tried, generations, saved
from unnerve.studies.rank.scored import Scored
from unnerve.studies.rank.settings import RankingTrial

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = (
    "<img src=x onerror=\"document.title='run'\">",
    "</script><script>document.title='run'</script>",
    "a\x00b\x1b[31m\u202ec",
)


@dataclass(frozen=True)
class Array:
    """Rows of an array in memory."""

    values: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def read(self, rows: Sequence[int] | range) -> np.ndarray:
        taken: np.ndarray = self.values[np.asarray(rows)]
        return taken


@dataclass(frozen=True)
class Recipe:
    """What a proof made by hand is like."""

    count: int = 200
    shape: tuple[int, ...] = (1, 8, 8)
    scores: tuple[str, ...] = ("pd", "gini")
    classes: tuple[str, ...] = ("zero", "one", "two", "three")
    labels: bool = True
    names: tuple[str, ...] | None = None
    model: str = "zoo:tiny"
    data: str = "made-up"
    vulnerable: bool = True
    censored: int = 0
    helps: bool = True
    repeats: int = 10
    tries: int = 50
    seed: int = 3

    def but(self, **changes: object) -> "Recipe":
        return replace(self, **changes)  # type: ignore[arg-type]

    def proof(self) -> RankingProof:
        """Make the proof."""
        return _proof(self)


@pytest.fixture(scope="session")
def browser() -> Iterator["Browser"]:
    """Return a browser, started once."""
    with launched() as started:
        yield started


@pytest.fixture
def visit(browser: "Browser") -> Iterator[Visit]:
    """Return visit(file, fragment="", width=1280, **settings) -> the page in a browser."""
    with visiting(browser) as opened:
        yield opened


@pytest.fixture
def recipe() -> Recipe:
    """Return a proof of two scores on 200 small grey images, in which ranking helps; vary it with ``but``."""
    return Recipe()


@pytest.fixture
def hostile() -> tuple[str, ...]:
    """Return names that would run, end a script, or move a cursor if they were not taken for text."""
    return HOSTILE


def _proof(recipe: Recipe) -> RankingProof:
    draw = np.random.default_rng(recipe.seed)
    count = recipe.count
    predicted = draw.integers(0, 4, count)
    labels = np.where(draw.random(count) < 0.9, predicted, (predicted + 1) % 4) if recipe.labels else None
    source = Array(draw.integers(0, 256, (count, *recipe.shape), dtype=np.uint8))
    data = Examples(recipe.data, source, labels, recipe.classes, names=recipe.names)
    suspicion = draw.random(count)
    share = np.clip(np.exp(-8 * (1 - suspicion)) - 0.05, 0, 1) if recipe.helps else draw.random(count) ** 8
    eff = np.round(share * recipe.tries) / recipe.tries if recipe.vulnerable else np.zeros(count)
    scores = {name: suspicion + 0.05 * place * draw.random(count) for place, name in enumerate(recipe.scores)}
    scored = Scored(scores, predicted, (predicted + 1) % 4, 1 - 0.7 * suspicion)
    random = _runs(recipe, 400)
    return RankingProof(
        trial=RankingTrial(count, recipe.tries, recipe.repeats, "patch", recipe.seed),
        model=recipe.model,
        data=recipe.data,
        candidates=data,
        scored=scored,
        eff=eff,
        runner_up_share=0.875 if recipe.vulnerable else float("nan"),
        scores={name: _score_proof(recipe, name, scores[name], eff, labels, predicted, random) for name in scores},
        random=random,
        random_effective=_runs(recipe, 40) if recipe.vulnerable else (),
        f_measure_random=generations(random, recipe.count * recipe.tries),
        f_measure_random_effective=(
            generations(_runs(recipe, 40), recipe.count * recipe.tries) if recipe.vulnerable else None
        ),
        accuracy=Accuracy.counted(predicted, labels, 4, tuple(recipe.classes)),
        seconds=3.4567,
        provenance=Provenance(Call("rank", {"evaluate": True}), Opening(recipe.model), Opening(recipe.data)),
    )


def _score_proof(
    recipe: Recipe,
    name: str,
    score: np.ndarray,
    eff: np.ndarray,
    labels: np.ndarray | None,
    predicted: np.ndarray,
    random: tuple[FMeasure, ...],
) -> ScoreProof:
    order = np.argsort(-score, kind="stable")
    sorted_eff = torch.from_numpy(eff[order])
    places = (torch.arange(len(order)) + 0.5) / len(order)
    runs = _runs(recipe, 4 if recipe.helps else 400)
    most = recipe.count * recipe.tries
    return ScoreProof(
        score=name,
        order=order,
        runs=runs,
        f_measure=generations(runs, most),
        examples=examples_tried(runs, recipe.count),
        inc=saved(random, runs, most),
        inc_effective=saved(random, runs, most) if recipe.vulnerable else None,
        apfd=apfd(eff[order] > 0),
        apfd_misclassified=None if labels is None else apfd((labels != predicted)[order]),
        fit=exponential_fit(*rank_bins(sorted_eff)),
        fit_points=exponential_fit(places, sorted_eff),
        fit_metric=exponential_fit(places, sorted_eff),
    )


def _runs(recipe: Recipe, typical: int) -> tuple[FMeasure, ...]:
    """Return one run per repeat around a typical cost; the last ones meet no error if some shall be censored."""
    draw = np.random.default_rng(typical)
    lost = recipe.repeats if not recipe.vulnerable else recipe.censored
    runs = []
    for repeat in range(recipe.repeats):
        last = min(int(draw.integers(1, 2 * typical)), recipe.count * recipe.tries)
        firsts: list[int | None] = [None] * ((last - 1) // recipe.tries)
        found = repeat < recipe.repeats - lost
        runs.append(f_measure([*firsts, (last - 1) % recipe.tries] if found else [None] * recipe.count, recipe.tries))
    return tuple(runs)
