import pytest
import torch
from torch import Tensor

from unnerve.generate.attacks import _saliency
from unnerve.generate.attacks._saliency import best_pairs


def by_trying_all(rise: Tensor, fall: Tensor) -> Tensor:
    """Return what the best pair reaches, (N,)."""
    sums = [one[:, :, None] + one[:, None, :] for one in (rise, fall)]
    different = ~torch.eye(rise.shape[1], dtype=torch.bool)
    reached = torch.where((sums[0] > 0) & (sums[1] > 0) & different, sums[0] * sums[1], -torch.inf)
    return reached.flatten(1).amax(dim=1)


def maps(kind: str, features: int) -> tuple[Tensor, Tensor]:
    """Return saliencies of 16 inputs: of one mind, apart, opposed, nearly hopeless, or with many equal ones."""
    one, other = torch.randn(2, 16, features)
    fall = {
        "of one mind": one + 0.3 * other,
        "apart": other,
        "opposed": 0.3 * other - one,
        "nearly hopeless": 0.1 * other - 0.25,
        "equal": (other * 2).round(),
    }[kind]
    return (one * 2).round() if kind == "equal" else one, fall


@pytest.mark.parametrize("features", [2, 3, 17, 150])
@pytest.mark.parametrize("kind", ["of one mind", "apart", "opposed", "nearly hopeless", "equal"])
@pytest.mark.parametrize("taken", [False, True])
def test_equals_trying_all_pairs(kind: str, features: int, taken: bool) -> None:
    rise, fall = maps(kind, features)
    if taken:
        gone = torch.rand(rise.shape) < 0.4
        rise, fall = rise.masked_fill(gone, -torch.inf), fall.masked_fill(gone, -torch.inf)
    pairs, values = best_pairs(rise, fall)
    assert torch.equal(values, by_trying_all(rise, fall))
    found = values.isfinite()
    assert torch.equal((rise.gather(1, pairs).sum(1) * fall.gather(1, pairs).sum(1))[found], values[found])
    assert bool((pairs[found, 0] != pairs[found, 1]).all())
    assert bool(found.any()) or features <= 3 or kind == "nearly hopeless"


def test_by_hand() -> None:
    # 0 and 1 rise most, but fall by less than nothing; 2 and 3 rise by 1 and fall by 7 together; 1 and 4 by 5 and 1.
    rise = torch.tensor([[4.0, 4.0, 1.0, 0.0, 1.0], [-1.0, -2.0, -3.0, -4.0, 0.5]])
    fall = torch.tensor([[-5.0, -5.0, 3.0, 4.0, 6.0], [9.0, 9.0, 9.0, 9.0, 9.0]])
    pairs, values = best_pairs(rise, fall)
    assert sorted(pairs[0].tolist()) == [2, 4]
    assert values.tolist() == [2 * 9, -torch.inf]


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    rise, fall = maps("opposed", 150)
    whole = best_pairs(rise, fall)
    monkeypatch.setattr(_saliency, "_AT_ONCE", 200)
    parts = best_pairs(rise, fall)
    assert all(torch.equal(one, other) for one, other in zip(whole, parts, strict=True))


def test_an_input_gets_the_same_pair_alone_and_in_company() -> None:
    rise, fall = maps("equal", 60)
    pairs, _ = best_pairs(rise, fall)
    assert all(torch.equal(best_pairs(rise[k : k + 1], fall[k : k + 1])[0][0], pairs[k]) for k in range(16))


def test_beyond_the_limit_those_are_paired_that_could_reach_most(monkeypatch: pytest.MonkeyPatch) -> None:
    rise, fall = maps("opposed", 150)
    exact = best_pairs(rise, fall)[1]
    monkeypatch.setattr(_saliency, "PAIRED", 20)
    pairs, values = best_pairs(rise, fall)
    assert torch.equal(rise.gather(1, pairs).sum(1) * fall.gather(1, pairs).sum(1), values)
    assert bool((values <= exact).all())
    assert float((values / exact).amin()) > 0.5
