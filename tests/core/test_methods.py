from torch import Tensor

from unnerve.core.methods import evidence


def test_a_score_names_its_evidence() -> None:
    def vro(draws: Tensor, probabilities: Tensor) -> Tensor:
        return draws[0, :, 0] + probabilities[:, 0]

    assert evidence(vro) == ("draws", "probabilities")
