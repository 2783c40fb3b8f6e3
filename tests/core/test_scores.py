from pathlib import Path

import pytest
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.scores import score_named
from unnerve.measure.scores.vro import vro


def test_scores_by_name_and_functions() -> None:
    def third(answers: Tensor) -> Tensor:
        return answers[:, 2]

    assert score_named("vro") is vro
    assert score_named(third) is third, "a function may call its only parameter as it likes"


@pytest.mark.parametrize("parameters", ["answers", "probabilities, gradients, weights"])
def test_evidence_that_nobody_has_is_refused(tmp_path: Path, parameters: str) -> None:
    file = tmp_path / "mine.py"
    file.write_text(f"def steep({parameters}): return 0\n")
    words = r"mine.py:steep asks for (answers|gradients and weights); its parameters must be among probabilities, "
    with pytest.raises(InvalidSetting, match=words):
        score_named(f"{file}:steep")
