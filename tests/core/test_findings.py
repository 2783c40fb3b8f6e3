from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from unnerve.core.data.examples import Examples
from unnerve.core.findings import Candidates, Finding, Seeds, finding_id
from unnerve.subjects.adapters.torch_module import TorchModule


def test_the_id_is_made_of_seed_and_content() -> None:
    ids = {finding_id("a", b"x"), finding_id("b", b"x"), finding_id("a", b"y"), finding_id("ax", b"")}
    assert len(ids) == 4
    assert finding_id("a", b"x") in ids
    assert len(finding_id("a", b"x")) == 32


def test_the_stored_input_comes_back() -> None:
    stored = np.arange(6, dtype=np.float32) / 6
    finding = Finding("", "", None, 0, 1, 0.5, 0.5, 1, 1, 1, 0, 1, stored.tobytes(), (1, 2, 3), "float32")
    assert finding.tensor().dtype == torch.float32
    assert np.array_equal(finding.tensor().numpy(), stored.reshape(1, 2, 3))
    finding.tensor().zero_()
    assert finding.tensor().sum() > 0, "a tensor of a finding is a copy"


def test_seeds_are_observed_once(tiny_model: TorchModule, small_data: Examples) -> None:
    batch = small_data.batch(range(5))
    seeds = Seeds.observed(tiny_model, batch)
    assert len(seeds) == 5
    assert torch.equal(seeds.clean.logits, tiny_model.observe(batch.inputs).logits)


def test_the_right_answers_are_the_labels_or_else_the_clean_answers(
    tiny_model: TorchModule, small_data: Examples
) -> None:
    seeds = Seeds.observed(tiny_model, small_data.batch(range(9)))
    assert seeds.expected.tolist() == [0, 1, 2, 3, 0, 1, 2, 3, 0]
    unlabelled = replace(seeds, batch=replace(seeds.batch, labels=None))
    assert torch.equal(unlabelled.expected, seeds.clean.predicted)
    assert not torch.equal(unlabelled.expected, seeds.expected)


def test_candidates_have_the_length_of_their_owners(small_images: Tensor) -> None:
    assert len(Candidates(small_images[:3], torch.tensor([0, 0, 1]), 7)) == 3
