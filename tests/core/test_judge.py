import numpy as np
import pytest
import torch
from torch import Tensor

from unnerve.core.data.examples import Batch
from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.judge import judge
from unnerve.core.model import Classifier
from unnerve.core.subject import Subject
from unnerve.generate.oracles.misclassified import Misclassified
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.black_box import BlackBox

SHOWN: list[np.ndarray] = []


def first_pixel(x: np.ndarray) -> np.ndarray:
    """Answer 1 if the first pixel is above one half, with logits ten times the distance from it."""
    SHOWN.append(x)
    pixel = 10 * (x.reshape(len(x), -1)[:, 0] - 0.5)
    return np.stack([-pixel, pixel], axis=1)


@pytest.fixture
def subject() -> Subject[Classifier]:
    SHOWN.clear()
    return Subject(BlackBox(first_pixel, "first pixel", outputs="logits"))


@pytest.fixture
def seeds(subject: Subject[Classifier]) -> Seeds:
    inputs = torch.tensor([0.25, 0.75]).view(2, 1, 1, 1).expand(2, 1, 1, 3).contiguous()
    return Seeds.observed(subject.model, Batch(inputs, torch.tensor([0, 1]), ("dark", "light")))


def proposed(first: list[float], seed: list[int]) -> Candidates:
    inputs = torch.tensor([0.25, 0.75])[seed].view(-1, 1, 1, 1).repeat(1, 1, 1, 3)
    inputs[:, 0, 0, 0] = torch.tensor(first)
    return Candidates(inputs, torch.tensor(seed), step=4)


def judged(subject: Subject[Classifier], seeds: Seeds, candidates: Candidates, minimum: float = 1e-4) -> list[Finding]:
    return [finding for _, finding in judge(subject, seeds, candidates, Misclassified(), Linf(0.5), minimum)]


def test_a_proven_error_by_hand(subject: Subject[Classifier], seeds: Seeds) -> None:
    (finding,) = judged(subject, seeds, proposed([0.625], [0]))
    assert (finding.seed_id, finding.label, finding.before, finding.after, finding.step) == ("dark", 0, 0, 1, 4)
    assert (finding.l0, finding.l2, finding.linf) == (1, 0.375, 0.375)
    assert finding.margin == pytest.approx(2 * 10 * 0.125)
    assert finding.confidence_before == pytest.approx(1 / (1 + np.exp(-5)))
    assert finding.confidence_after == pytest.approx(1 / (1 + np.exp(-2.5)))
    assert (finding.shape, finding.dtype) == ((1, 1, 3), "float32")


def test_what_does_not_fail_again_is_no_finding(subject: Subject[Classifier], seeds: Seeds) -> None:
    assert judged(subject, seeds, proposed([0.375, 0.25, 0.9], [0, 0, 1])) == []


def test_what_lies_outside_the_region_is_no_finding(subject: Subject[Classifier], seeds: Seeds) -> None:
    assert judged(subject, seeds, proposed([0.8125], [0])) == []
    assert judged(subject, seeds, proposed([-0.125], [1])) == []


def test_too_small_a_margin_is_no_finding(subject: Subject[Classifier], seeds: Seeds) -> None:
    barely = proposed([0.5 + 2**-10], [0])
    assert judged(subject, seeds, barely, minimum=0.02) == []
    assert len(judged(subject, seeds, barely, minimum=0.019)) == 1


def test_exactly_undecided_is_no_finding(subject: Subject[Classifier], seeds: Seeds) -> None:
    # Both logits are equal: the answer is class 0, which is wrong for the light seed, but by no margin at all.
    assert judged(subject, seeds, proposed([0.5], [1])) == []


def test_what_is_no_input_at_all_never_reaches_the_model(subject: Subject[Classifier], seeds: Seeds) -> None:
    SHOWN.clear()
    findings = judged(subject, seeds, proposed([float("nan"), 0.625, float("inf"), 1.5], [0, 0, 0, 1]))
    assert len(findings) == 1
    assert [len(shown) for shown in SHOWN] == [1]
    assert judged(subject, seeds, proposed([float("nan")], [0])) == []


def test_keeps_the_order_of_the_candidates(subject: Subject[Classifier], seeds: Seeds) -> None:
    candidates = proposed([0.9, 0.3125, 0.625, 0.4375, 0.7], [0, 1, 0, 1, 0])
    proven = judge(subject, seeds, candidates, Misclassified(), Linf(0.5))
    findings = [finding for _, finding in proven]
    assert [row for row, _ in proven] == [1, 2, 3, 4], "the first lies outside the region"
    assert [finding.seed_id for finding in findings] == ["light", "dark", "light", "dark"]
    assert [finding.tensor()[0, 0, 0].item() for finding in findings] == pytest.approx([0.3125, 0.625, 0.4375, 0.7])


def test_the_stored_bytes_reproduce_the_error(subject: Subject[Classifier], seeds: Seeds) -> None:
    # More digits than are stored: the answer must be that to the stored ones.
    inputs = proposed([0.625], [0]).inputs.double() + 1e-9
    (finding,) = judged(subject, seeds, Candidates(inputs, torch.tensor([0]), 1))
    seen = subject.model.observe(finding.tensor().unsqueeze(0))
    assert int(seen.predicted) == finding.after
    assert float(seen.probabilities.amax()) == finding.confidence_after
    assert finding.tensor().dtype == torch.float32


def test_the_rounding_of_storage_is_judged_too(subject: Subject[Classifier], seeds: Seeds) -> None:
    just_above = torch.full((1, 1, 1, 3), 0.25, dtype=torch.float64)
    just_above[0, 0, 0, 0] = 0.5 + 1e-12
    assert judged(subject, seeds, Candidates(just_above, torch.tensor([0]), 1), minimum=0) == []


def test_the_id_depends_on_the_content(subject: Subject[Classifier], seeds: Seeds) -> None:
    one, other = judged(subject, seeds, proposed([0.625, 0.6875], [0, 0]))
    (again,) = judged(subject, seeds, proposed([0.625], [0]))
    assert one.id == again.id
    assert one.id != other.id


def test_candidates_are_left_alone(subject: Subject[Classifier], seeds: Seeds) -> None:
    candidates = proposed([0.625, 2.0], [0, 0])
    before: Tensor = candidates.inputs.clone()
    judged(subject, seeds, candidates)
    assert torch.equal(candidates.inputs, before)


def test_nothing_proposed_nothing_found(subject: Subject[Classifier], seeds: Seeds) -> None:
    nothing = Candidates(torch.empty(0, 1, 1, 3), torch.empty(0, dtype=torch.int64), 0)
    assert judged(subject, seeds, nothing) == []


def test_refuses_a_negative_margin(subject: Subject[Classifier], seeds: Seeds) -> None:
    with pytest.raises(InvalidSetting, match=r"minimum_margin must be >= 0, got -0\.1"):
        judged(subject, seeds, proposed([0.6], [0]), minimum=-0.1)
