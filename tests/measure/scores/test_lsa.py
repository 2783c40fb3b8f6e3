import numpy as np
import pytest
import torch
from dnn_tip import surprise
from scipy.stats import gaussian_kde

from unnerve.core.errors import InvalidData
from unnerve.core.streams import Streams
from unnerve.core.traces import Traces
from unnerve.measure.scores.lsa import lsa


def test_by_hand() -> None:
    # Two points at -1 and 1: variance 2, times Scott's factor squared, 2^(-2/5). Half of each kernel's height at 0.
    variance = 2 * 2 ** (-2 / 5)
    wanted = 0.5 * np.log(2 * np.pi * variance) + 1 / (2 * variance)
    traces = Traces(torch.tensor([[-1.0], [1.0]]), torch.tensor([0, 0]))
    assert lsa(torch.tensor([[0.0]]), torch.tensor([0]), traces).item() == pytest.approx(wanted, abs=1e-5)


@pytest.mark.filterwarnings("ignore:The version of scipy")  # dnn-tip's own, of a fix that it leaves away
def test_equals_kernel_densities_of_scipy_and_dnn_tip() -> None:
    train, test = (
        Streams(0, map(str, range(200))).normal(0, 0, (6,)),
        Streams(1, map(str, range(30))).normal(0, 0, (6,)),
    )
    answers, asked = torch.arange(200) % 2, torch.arange(30) % 2
    ours = lsa(test, asked, Traces(train, answers)).numpy()
    for number in (0, 1):
        density = gaussian_kde(train[answers == number].double().numpy().T)
        rows = (asked == number).numpy()
        assert ours[rows] == pytest.approx(-density.logpdf(test[asked == number].double().numpy().T), abs=1e-3)
    theirs = surprise.MultiModalSA.build_by_class(train.numpy(), answers.numpy(), lambda a, p: surprise.LSA(a))
    assert ours == pytest.approx(np.asarray(theirs(test.numpy(), asked.numpy())), abs=1e-3)


def test_products_in_single_precision_cost_no_digits_that_matter() -> None:
    # Neurons that go together, far from zero; inputs among the training inputs, on them, and very far away.
    mixing = Streams(0, ["mixing"]).normal(0, 0, (12, 12))[0]
    train = (Streams(0, map(str, range(300))).normal(0, 0, (12,)) @ mixing + 100).double()
    some = train[:20].clone()
    rows = torch.cat([some, some + Streams(1, map(str, range(20))).normal(0, 0, (12,)), 100 + 1000 * (some - 100)])
    answers, asked = torch.zeros(300, dtype=torch.int64), torch.zeros(60, dtype=torch.int64)
    covariance = torch.cov(train.T) * 300 ** (-2 / 16)
    covariance += 1e-6 * covariance.diagonal().mean() * torch.eye(12, dtype=torch.float64)
    apart = rows.unsqueeze(1) - train
    exponents = (apart @ torch.linalg.inv(covariance) * apart).sum(dim=2) / -2
    root = torch.linalg.slogdet(2 * torch.pi * covariance).logabsdet / 2
    wanted = np.log(300) + root - torch.logsumexp(exponents, dim=1)
    # Computed in single precision throughout, the farthest inputs would be wrong by tens, those on a point by 1e-4.
    assert lsa(rows, asked, Traces(train, answers)).numpy() == pytest.approx(wanted.numpy(), abs=1e-5, rel=1e-8)


def test_of_many_neurons_those_that_vary_most_take_part() -> None:
    spread = torch.cat([torch.full((300,), 2.0), torch.full((40,), 1.0)])
    train = Streams(0, map(str, range(700))).normal(0, 0, (340,)) * spread
    answers, asked = torch.zeros(700, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
    rows = train[:3] + 0.1
    reduced = lsa(rows[:, :300], asked, Traces(train[:, :300], answers))
    assert torch.allclose(lsa(rows, asked, Traces(train, answers)), reduced)


def test_neurons_that_never_move_or_go_together_do_no_harm() -> None:
    values = Streams(0, map(str, range(50))).normal(0, 0, (3,))
    plain = Traces(values, torch.zeros(50, dtype=torch.int64))
    dead = Traces(torch.cat([values, torch.zeros(50, 2)], dim=1), plain.predicted)
    rows, asked = values[:5] + 0.1, torch.zeros(5, dtype=torch.int64)
    padded = torch.cat([rows, torch.ones(5, 2)], dim=1)
    assert torch.allclose(lsa(rows, asked, plain), lsa(padded, asked, dead))
    twice = lsa(torch.cat([rows, rows], dim=1), asked, Traces(torch.cat([values, values], dim=1), plain.predicted))
    assert bool(torch.isfinite(twice).all())


def test_too_little_is_refused() -> None:
    with pytest.raises(InvalidData, match=r"surprise needs >= 2 reference inputs .* class 0, got 1"):
        lsa(torch.zeros(1, 1), torch.tensor([0]), Traces(torch.zeros(2, 1), torch.tensor([0, 1])))
    with pytest.raises(InvalidData, match="lsa needs neurons that vary"):
        lsa(torch.zeros(1, 1), torch.tensor([0]), Traces(torch.zeros(2, 1), torch.tensor([0, 0])))
