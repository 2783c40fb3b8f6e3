from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Capability
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.objectives.excitable_neurons import ExcitableNeurons
from unnerve.measure.reactions.exact import Exact
from unnerve.measure.reactions.leave_one_out import LeaveOneOut
from unnerve.measure.reactions.owen import Owen
from unnerve.measure.reactions.path import Path
from unnerve.measure.reactions.permutation import Permutation
from unnerve.measure.reactions.sensitivity import Sensitivity
from unnerve.measure.reactions.taylor import Taylor

Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
ROWS = [3, 8, 21]


@pytest.fixture
def candidates(small_images: Tensor) -> Tensor:
    """Return three candidates for each of the seeds 8 and 21: the seed itself and two other images."""
    return torch.cat([small_images[[8, 21]].unsqueeze(1), small_images[[5, 30]].expand(2, 2, 1, 8, 8)], dim=1)


@pytest.mark.parametrize("estimator", [Taylor(), Path(3), Owen(4)], ids=str)
@pytest.mark.parametrize("threshold", [0.0, 0.02, 0.5])
def test_counts_the_neurons_beyond_the_threshold(
    threshold: float, estimator: Any, candidates: Tensor, scene: Scenes
) -> None:
    subject, seeds, _ = scene(ROWS)
    rows = torch.tensor([1, 2])
    values = ExcitableNeurons(threshold, estimator).prepare(subject, seeds)(candidates, rows)
    blamed = estimator.prepare(subject, seeds, Streams(0, seeds.batch.ids))(candidates, rows)
    assert blamed.shape == (2, 3, 9), "hidden neurons only: the four of the answer do not play"
    assert values.tolist() == (blamed > threshold).float().mean(dim=2).tolist()
    assert values[:, 0].tolist() == [0, 0], "a seed excites nothing"
    assert float(values.amax()) <= 1


@pytest.mark.parametrize(("estimator", "each"), [(Taylor(), 2), (Path(3), 6), (Owen(4), 8)], ids=str)
def test_costs_what_the_estimator_costs(estimator: Any, each: int, candidates: Tensor, scene: Scenes) -> None:
    subject, seeds, _ = scene(ROWS)
    objective = ExcitableNeurons(estimator=estimator)
    fitness = objective.prepare(subject, seeds)
    assert subject.model.meter.spent.tolist() == [1 + each] * 3
    fitness(candidates, torch.tensor([0, 2]))
    assert subject.model.meter.spent.tolist() == [1 + 4 * each, 1 + each, 1 + 4 * each]
    assert objective.cost(10) == each


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (Exact(), "exact"),
        (Permutation(2), "permutation"),
        (LeaveOneOut(), "leave_one_out"),
        (Sensitivity(), "sensitivity"),
    ],
)
def test_refuses_estimators_whose_price_nobody_knows_and_what_is_none(estimator: Any, name: str) -> None:
    with pytest.raises(InvalidSetting, match=rf"^estimator must be taylor, path or owen, got {name}$"):
        ExcitableNeurons(estimator=estimator)


def test_says_what_it_needs_and_is_built_from_text() -> None:
    assert ExcitableNeurons().needs == Capability.NEURONS
    assert build("objective", "excitable-neurons:0.1,estimator=path(points=2)") == ExcitableNeurons(0.1, Path(2))
    with pytest.raises(InvalidSetting, match=r"^threshold must be >= 0, got -1.0$"):
        ExcitableNeurons(-1.0)
