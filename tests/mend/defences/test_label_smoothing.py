import numpy as np
import pytest
import torch

from unnerve.core.errors import InvalidSetting
from unnerve.mend.defences.label_smoothing import LabelSmoothing, smoothed


def test_labels_by_hand() -> None:
    found = smoothed(torch.tensor([2, 0]), 3, 0.9)
    assert found.tolist() == [pytest.approx([0.05, 0.05, 0.9]), pytest.approx([0.9, 0.05, 0.05])]


def test_as_art_has_it() -> None:
    art = pytest.importorskip("art.defences.preprocessor.label_smoothing")
    _, theirs = art.LabelSmoothing(max_value=0.9)(np.zeros((2, 1)), np.eye(4, dtype=np.float32)[[1, 3]])
    np.testing.assert_allclose(smoothed(torch.tensor([1, 3]), 4, 0.9).numpy(), theirs, atol=1e-6)


def test_refuses_settings_that_make_no_sense() -> None:
    with pytest.raises(InvalidSetting, match=r"^most must be in \(0, 1\), got 1$"):
        LabelSmoothing(1)
