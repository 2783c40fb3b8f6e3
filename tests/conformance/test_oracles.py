"""What is asked of every oracle."""

import json
from dataclasses import replace

import pytest
import torch
from torch import Tensor

from unnerve.core.catalogue import build, describe
from unnerve.core.examples import Examples
from unnerve.core.findings import Candidates, Seeds
from unnerve.core.judge import judge
from unnerve.core.methods import Oracle
from unnerve.core.model import Capability, Classifier
from unnerve.core.subject import Subject
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.texts import texts


@pytest.fixture(params=texts("oracle"))
def oracle(request: pytest.FixtureRequest) -> Oracle:
    method: Oracle = build("oracle", request.param)
    return method


@pytest.fixture
def subject(tiny_model: TorchModule) -> Subject[Classifier]:
    return Subject(tiny_model)


@pytest.fixture
def seeds(tiny_model: TorchModule, small_data: Examples) -> Seeds:
    return Seeds.observed(tiny_model, small_data.batch(range(10)))


@pytest.fixture
def candidates(small_images: Tensor) -> Candidates:
    return Candidates(small_images, torch.arange(40) % 10, step=2)


def test_a_verdict_on_every_candidate(
    oracle: Oracle, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates
) -> None:
    verdict = oracle(subject, seeds, candidates)
    assert verdict.accepted.shape == verdict.margin.shape == (40,)
    assert verdict.accepted.dtype == torch.bool
    assert verdict.accepted.any()
    assert not verdict.accepted.all()
    assert bool(torch.isfinite(verdict.margin).all())
    assert all(numbers.shape == (40,) for numbers in verdict.evidence.values())
    assert torch.equal(verdict.observation.logits, subject.model.observe(candidates.inputs).logits)


def test_what_is_accepted_has_a_margin(
    oracle: Oracle, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates
) -> None:
    verdict = oracle(subject, seeds, candidates)
    assert bool((verdict.margin[verdict.accepted] >= 0).all())


def test_the_same_alone_and_in_company(
    oracle: Oracle, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates
) -> None:
    together = oracle(subject, seeds, candidates)
    for row in range(0, 40, 7):
        one = replace(
            candidates, inputs=candidates.inputs[row : row + 1], seed_index=candidates.seed_index[row : row + 1]
        )
        alone = oracle(subject, seeds, one)
        assert torch.equal(alone.accepted[0], together.accepted[row])
        assert torch.equal(alone.margin[0], together.margin[row])


@pytest.mark.usefixtures("random_state_stays")
def test_leaves_everything_alone(
    oracle: Oracle, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates
) -> None:
    before = seeds.batch.inputs.clone(), candidates.inputs.clone(), seeds.clean.logits.clone()
    oracle(subject, seeds, candidates)
    after = seeds.batch.inputs, candidates.inputs, seeds.clean.logits
    assert all(torch.equal(old, new) for old, new in zip(before, after, strict=True))


def test_the_judge_finds_only_what_it_accepts(
    oracle: Oracle, subject: Subject[Classifier], seeds: Seeds, candidates: Candidates
) -> None:
    verdict = oracle(subject, seeds, candidates)
    findings = judge(subject, seeds, candidates, oracle, Linf(1.0))
    assert [row for row, _ in findings] == (verdict.accepted & (verdict.margin >= 1e-4)).nonzero().flatten().tolist()
    assert all(finding.seed_id == seeds.batch.ids[row % 10] for row, finding in findings)


def test_says_what_it_needs(oracle: Oracle) -> None:
    assert isinstance(oracle.needs, Capability)


def test_survives_json(oracle: Oracle) -> None:
    assert build("oracle", json.loads(json.dumps(describe(oracle)))) == oracle
