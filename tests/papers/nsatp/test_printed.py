import pytest

from unnerve.papers.nsatp.printed import PRINTED


def test_printed_figures_agree_with_the_papers_own_arithmetic() -> None:
    ranked, random = PRINTED["net2", "mnist"]["pd"][3:]
    assert 1 - ranked / random == pytest.approx(0.9890, abs=5e-5)
    ranked, random = PRINTED["net1", "cifar100"]["pd"][3:]
    assert 1 - ranked / random == pytest.approx(0.7967, abs=1.5e-4)
