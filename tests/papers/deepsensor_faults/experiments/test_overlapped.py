from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers.deepsensor_faults.experiments.overlapped import overlapped


def test_neurons_that_deepsensor_shares_with_attacks(begun: Begun) -> None:
    found = overlapped(*begun("overlap", ""))
    assert list(found.spreads()) == ["PGD", "JSMA", "DeepFool"]
    assert all(0 <= one.mean <= 10 for one in found.spreads().values())
