from torch import Tensor

from unnerve.core.methods import Normed, evidence
from unnerve.core.naming.catalogue import build


def test_a_score_names_its_evidence() -> None:
    def vro(draws: Tensor, probabilities: Tensor) -> Tensor:
        return draws[0, :, 0] + probabilities[:, 0]

    assert evidence(vro) == ("draws", "probabilities")


def test_balls_of_norms_are_told_from_other_regions() -> None:
    assert isinstance(build("region", "linf:0.1"), Normed)
    assert isinstance(build("region", "l2:0.1"), Normed)
    assert not isinstance(build("region", "l0:0.1"), Normed)
