from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.model import Capability, Want
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Metered
from unnerve.generate.objectives.sensitive_neurons import SensitiveNeurons

Scenes = Callable[..., tuple[Subject[Metered], Seeds, Streams]]
ROWS = [3, 8, 21]


@pytest.fixture
def candidates(small_images: Tensor) -> Tensor:
    """Return four candidates for each of the seeds 8 and 21: the seed itself, two other images, and one in between."""
    seeds, other = small_images[[8, 21]].unsqueeze(1), small_images[[5, 30]]
    return torch.cat([seeds, other.expand(2, 2, 1, 8, 8), (seeds + other[:1]) / 2], dim=1)


@pytest.mark.parametrize("threshold", [0.0, 0.5, 1.0, 2.0])
def test_counts_the_neurons_beyond_the_threshold(
    threshold: float, candidates: Tensor, scene: Scenes, small_images: Tensor
) -> None:
    subject, seeds, _ = scene(ROWS)
    values = SensitiveNeurons(threshold).prepare(subject, seeds)(candidates, torch.tensor([1, 2]))
    spread = subject.model.model.observe(small_images, Want.NEURONS).neurons.std(dim=0, correction=0)
    for row, seed in enumerate((8, 21)):
        clean = subject.model.model.observe(small_images[[seed]], Want.NEURONS).neurons
        moved = (subject.model.model.observe(candidates[row], Want.NEURONS).neurons - clean).abs() / spread
        assert values[row].tolist() == (moved > threshold).float().mean(dim=1).tolist()
    assert values[:, 0].tolist() == [0, 0], "a seed moves nothing"


def test_the_higher_the_threshold_the_fewer(candidates: Tensor, scene: Scenes) -> None:
    subject, seeds, _ = scene(ROWS)
    for scale in ("spread", "eq1", "minmax", "released"):
        found = [
            SensitiveNeurons(threshold, scale).prepare(subject, seeds)(candidates, torch.tensor([1, 2]))
            for threshold in (0.0, 0.3, 0.9)
        ]
        assert bool((torch.stack(found).diff(dim=0) <= 0).all())
        assert bool((found[0][:, 1:] > 0).all())
        assert float(torch.stack(found).amax()) <= 1


def test_a_candidate_costs_one_query_and_the_seeds_one_more(candidates: Tensor, scene: Scenes) -> None:
    subject, seeds, _ = scene(ROWS)
    fitness = SensitiveNeurons().prepare(subject, seeds)
    assert subject.model.meter.spent.tolist() == [2, 2, 2]
    fitness(candidates, torch.tensor([0, 2]))
    assert subject.model.meter.spent.tolist() == [6, 2, 6]
    assert SensitiveNeurons().cost(10) == 1


def test_says_what_it_needs_and_refuses_strange_settings() -> None:
    assert SensitiveNeurons().needs == Capability.NEURONS
    assert SensitiveNeurons().referenced
    assert not SensitiveNeurons(scale="eq1").referenced
    with pytest.raises(InvalidSetting, match=r"^threshold must be >= 0, got nan$"):
        SensitiveNeurons(float("nan"))
    with pytest.raises(InvalidSetting, match=r"^scale must be .*, got 'eq2'$"):
        SensitiveNeurons(scale="eq2")
