from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import nn

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Seeds
from unnerve.core.methods import Space
from unnerve.core.model import Want
from unnerve.core.naming.catalogue import build
from unnerve.core.pools import Pool
from unnerve.core.profiles import Profile
from unnerve.core.streams import Streams
from unnerve.core.subject import Context, Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers.deephunter import _COLUMNS, DeepHunter
from unnerve.generate.perturbations.metamorphic import Metamorphic
from unnerve.generate.regions.lineage import Lineage
from unnerve.generate.regions.linf import Linf
from unnerve.measure.coverages.kmnc import KMNC
from unnerve.subjects.adapters.torch_module import TorchModule


def corner() -> TorchModule:
    """Return a network that says 1 of images that are brighter than 0.7 on average; its one neuron is the mean."""
    mean, answer = nn.Linear(64, 1), nn.Linear(1, 2)
    mean.weight.data.fill_(1 / 64)
    answer.weight.data = torch.tensor([[-50.0], [50.0]])
    mean.bias.data.zero_()
    answer.bias.data = torch.tensor([35.0, -35.0])
    net = nn.Sequential(nn.Flatten(), mean, nn.ReLU(), answer)
    return TorchModule(net.eval(), "corner", outputs="logits")


def pool(space: Space, count: int = 3) -> Pool:
    model = corner()
    inputs = torch.full((count, 1, 8, 8), 0.5)
    inputs[:, :, 2:6, 2:6] = 0.6
    neurons = model.neuron_map(inputs[:1])
    ends = model.observe(torch.stack([torch.zeros(1, 8, 8), torch.ones(1, 8, 8)]), Want.NEURONS).neurons
    profile = Profile(model.identity((1, 8, 8)), neurons, ends.amin(dim=0), ends.amax(dim=0), 2)
    batch = Batch(inputs, torch.zeros(count, dtype=torch.int64), tuple(map(str, range(count))))
    subject = Subject(Metered(model, Meter(count, None, shared=True)), Context(profile=profile))
    everyone = torch.ones(count, dtype=torch.bool)
    return Pool(subject, Seeds(batch, model.observe(inputs)), space, Streams(0, ["pool"]), everyone)


def brightest(hunter: DeepHunter, given: Pool, steps: int) -> float:
    state, found = hunter.begin(given), 0.0
    for step in range(steps):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        assert bool(given.space.contains(candidates.inputs, given.seeds.batch.inputs[candidates.seed_index]).all())
        found = max(found, float(candidates.inputs.mean(dim=(1, 2, 3)).max()))
    return found


def test_coverage_leads_to_a_corner_that_no_single_mutation_reaches() -> None:
    # The seeds have a mean of 0.525. Brightness adds 0.075 at most and contrast 0.105, so 0.7 takes two steps: only who
    # keeps what covers more of the mean's range gets there.
    given = pool(Linf(0.3))
    assert brightest(DeepHunter(KMNC(50), mutants=10, entries=2), given, 40) > 0.7
    assert brightest(DeepHunter(KMNC(50), mutants=10, entries=2, keep="nothing"), given, 40) < 0.7


def test_only_what_is_new_and_right_joins_the_queue() -> None:
    given, hunter = pool(Linf(0.3)), DeepHunter(KMNC(50), mutants=10, entries=3)
    state = hunter.begin(given)
    for step in range(30):
        hunter.step(replace(given, step=step), state)
    corpus = Corpus(state, _COLUMNS)
    means = corpus["inputs"].mean(dim=(1, 2, 3))[3:]
    assert 0 < len(means) <= 100, "there are 50 sections of the mean, and as many of what is said of it"
    assert float(means.max()) < 0.7
    assert int(corpus["times"].sum()) == 90
    every = DeepHunter(KMNC(50), mutants=10, entries=3, keep="all")
    hoard = every.begin(given)
    every.step(given, hoard)
    assert len(Corpus(hoard, _COLUMNS)) > 20


def test_few_values_change_much_or_all_change_little() -> None:
    space, hunter = Lineage(Metamorphic(), few=0.02, little=0.2), DeepHunter()
    origin = torch.full((3, 1, 28, 28), 0.5)
    made = origin.clone()
    made[0].view(-1)[:15] = 1  # 15 of 784 values are 1.9 %
    made[1].view(-1)[:16] = 1  # 16 are 2.04 %
    made[2] += 0.2
    near = hunter._near(space, made.clone(), origin)
    assert torch.equal(near[0], made[0])
    assert near[1].view(-1)[:17].tolist() == pytest.approx([0.7] * 16 + [0.5])
    assert torch.equal(near[2], made[2])


def test_an_image_is_transformed_once_in_its_lineage() -> None:
    space = build("region", "lineage:metamorphic")
    given, hunter = pool(space), DeepHunter(mutants=10, entries=4, schedule="recent")
    state = hunter.begin(given)
    for step in range(25):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        assert candidates.parameters is not None
        origin = space.origins(given.seeds.batch.inputs[candidates.seed_index], candidates.parameters)
        assert bool(space.contains(candidates.inputs, origin).all())
    corpus = Corpus(state, _COLUMNS)
    done = corpus["transformed"]
    assert bool(done.any())
    assert not bool(corpus["parameters"][~done].any())
    lines = {tuple(one) for one in corpus["parameters"][done].tolist()}
    assert len(lines) < int(done.sum()), "descendants have the transform of their ancestor, and no further one"


def test_what_is_transformed_is_transformed_no_further() -> None:
    given, hunter = pool(build("region", "lineage:metamorphic")), DeepHunter(mutants=4, entries=2)
    corpus = Corpus(hunter.begin(given), _COLUMNS)
    corpus["parameters"][:] = torch.tensor([0.3, 0.9])
    corpus["transformed"][:] = True
    _, parameters, transformed = hunter._mutated(given, corpus, torch.zeros(60, dtype=torch.int64))
    assert bool(transformed.all())
    assert torch.equal(parameters, corpus["parameters"][:1].expand(60, -1))


def test_regions_without_an_identity_are_refused() -> None:
    with pytest.raises(InvalidSetting, match="deephunter works in lineage:metamorphic or lineage:affine"):
        DeepHunter().begin(pool(build("region", "lineage:patch")))


def test_faithful_keeps_to_the_region_of_its_transformations() -> None:
    assert DeepHunter().regions is None
    hunter = build("hunter", "deephunter:faithful=yes")
    assert hunter.regions == ("lineage",)
    assert build("region", "lineage") == Lineage(Metamorphic()), "all that the release does, if nothing is named"
    with pytest.raises(InvalidSetting, match="deephunter works in lineage, got linf"):
        hunter.begin(pool(Linf(0.1)))
    assert len(hunter.begin(pool(Lineage())).tensors["inputs"]) == 3


def test_broken_seeds_are_left_alone() -> None:
    given, hunter = replace(pool(Linf(0.1)), wanted=torch.tensor([False, True, False])), DeepHunter(mutants=4)
    state = hunter.begin(given)
    for step in range(5):
        candidates = hunter.step(replace(given, step=step), state)
        assert candidates is not None
        assert set(candidates.seed_index.tolist()) == {1}


def test_only_some_criteria_need_a_profile() -> None:
    assert DeepHunter().profiled
    assert not DeepHunter(build("coverage", "nc:0.75")).profiled


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mutants": 0}, "mutants must be >= 1, got 0"),
        ({"entries": 0}, "entries must be >= 1, got 0"),
        ({"schedule": "first"}, "schedule must be one of prob, uniform, recent, got 'first'"),
        ({"keep": "some"}, "keep must be one of coverage, all, nothing, got 'some'"),
    ],
)
def test_refuses_strange_settings(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSetting, match=words):
        DeepHunter(**settings)
