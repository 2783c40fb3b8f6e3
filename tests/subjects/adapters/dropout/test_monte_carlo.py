import math
from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.subjects.adapters.dropout.networks import NETWORKS
from unnerve.core.errors import InvalidData, InvalidModel
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Stochastic
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule

IDS = tuple(map(str, range(40)))
AS_ONE = {"looks"}  # this one looks at the whole batch


@pytest.fixture(scope="session")
def lenet5_dropping(lenet5_random: TorchModule) -> TorchModule:
    return lenet5_random.dropping(Dropout(0.4))


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


def test_probabilities_of_every_draw(lenet5_dropping: TorchModule, digits40: Tensor) -> None:
    draws = lenet5_dropping.samples(digits40, Masks(0, IDS, draws=7))
    assert draws.shape == (7, 40, 10)
    assert torch.allclose(draws.sum(dim=2), torch.ones(()))
    assert bool((draws >= 0).all())
    assert not draws.requires_grad
    assert bool((draws[0] != draws[1]).any(dim=1).all())


# Bits


@pytest.mark.usefixtures("threads")
def test_alone_and_in_company_an_input_gets_the_same_bits(lenet5_dropping: TorchModule, digits40: Tensor) -> None:
    masks = Masks(0, IDS, draws=4)
    together = lenet5_dropping.samples(digits40, masks)
    for count in (1, 5, 33):
        rows = slice(40 - count, 40)
        assert torch.equal(lenet5_dropping.samples(digits40[rows], masks[rows]), together[:, rows])
    assert torch.equal(lenet5_dropping.samples(digits40.flip(0), masks[range(39, -1, -1)]), together.flip(1))
    crowd = torch.cat([torch.zeros(301, 1, 28, 28), digits40, torch.ones(200, 1, 28, 28)])
    ids = tuple(f"zero {row}" for row in range(301)) + IDS + tuple(f"one {row}" for row in range(200))
    assert torch.equal(lenet5_dropping.samples(crowd, Masks(0, ids, draws=4))[:, 301:341], together)


@pytest.mark.parametrize("name", sorted(set(NETWORKS) - AS_ONE))
def test_masks_do_not_depend_on_company(name: str, small_images: Tensor) -> None:
    model, masks = TorchModule(NETWORKS[name]()), Masks(0, IDS, draws=3)
    together = model.samples(small_images, masks)
    rows = [31, 4, 4, 9]
    assert torch.allclose(model.samples(small_images[rows], masks[rows]), together[:, rows], atol=1e-6)
    assert together.std(dim=0).amax() > 1e-3  # a wrong mask would be seen


def test_candidates_share_the_masks_of_their_seed(lenet5_dropping: TorchModule, digits40: Tensor) -> None:
    same = digits40[:1].expand(6, 1, 28, 28)
    draws = lenet5_dropping.samples(same, Masks(0, ("a", "a", "b", "b", "a", "c"), draws=3))
    assert torch.equal(draws[:, 0], draws[:, 1])
    assert torch.equal(draws[:, 0], draws[:, 4])
    assert torch.equal(draws[:, 2], draws[:, 3])
    assert not torch.equal(draws[:, 0], draws[:, 2])
    assert not torch.equal(draws[:, 0], draws[:, 5])


def test_more_draws_leave_the_earlier_ones(lenet5_dropping: TorchModule, digits40: Tensor) -> None:
    ten = lenet5_dropping.samples(digits40[:4], Masks(3, IDS[:4], draws=10))
    assert torch.equal(lenet5_dropping.samples(digits40[:4], Masks(3, IDS[:4], draws=4)), ten[:4])
    assert torch.equal(lenet5_dropping.samples(digits40[:4], Masks(3, IDS[:4], draws=3, start=7)), ten[7:])


@pytest.mark.parametrize("name", sorted(NETWORKS))
@pytest.mark.parametrize("draws", [1, 3])
def test_answers_and_draws_at_once_are_those_of_two_calls(name: str, draws: int, small_images: Tensor) -> None:
    model, masks = TorchModule(NETWORKS[name]()), Masks(0, IDS, draws)
    seen, drawn = model.observed_samples(small_images, masks)
    # Attention under dropout is torch's in single steps, which are rounded otherwise.
    assert torch.allclose(seen.logits, model.observe(small_images).logits, rtol=1e-5, atol=1e-6)
    assert torch.equal(drawn, model.samples(small_images, masks))


def test_the_distribution_is_torchs(small_images: Tensor) -> None:
    net = NETWORKS["sequence1"]()
    draws = 1200
    ours = TorchModule(net).samples(small_images[:32], Masks(0, IDS[:32], draws=draws))
    for part in net.modules():
        part.train(isinstance(part, nn.Dropout))
    with torch.no_grad():
        theirs = torch.stack([net(small_images[:32]) for _ in range(draws)]).softmax(dim=-1)
    error = (ours.var(dim=0) / draws + theirs.var(dim=0) / draws).sqrt()
    away = (ours.mean(dim=0) - theirs.mean(dim=0)) / error
    assert away.abs().max() < 5
    assert away.square().mean().sqrt() < 1.5
    spread = ours.var(dim=0) / theirs.var(dim=0)
    assert (spread - 1).abs().max() < 8 * math.sqrt(2 / draws)


# The module is left as it was


@pytest.mark.usefixtures("random_state_stays")
def test_nothing_is_changed(small_images: Tensor) -> None:
    for name, build in NETWORKS.items():
        with torch.random.fork_rng(devices=[]):
            net = build().train()
        before = [tensor.clone() for tensor in net.state_dict().values()]
        inputs = small_images.clone()
        TorchModule(net, name).samples(inputs, Masks(0, IDS, draws=2))
        assert torch.equal(inputs, small_images), name
        assert all(part.training for part in net.modules())
        assert all(torch.equal(old, new) for old, new in zip(before, net.state_dict().values(), strict=True))


def test_no_hooks_stay_behind(tiny_net: nn.Sequential, small_images: Tensor) -> None:
    model = TorchModule(tiny_net, dropout=Dropout(0.5, ("2", "before:4")))
    model.samples(small_images, Masks(0, IDS, draws=2))
    with pytest.raises(InvalidModel, match="raised RuntimeError on inputs of shape"):
        model.samples(torch.zeros(1, 3, 5), Masks(0, ("a",)))
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in tiny_net.modules())


def test_batch_norm_keeps_its_statistics(small_images: Tensor) -> None:
    net = nn.Sequential(nn.BatchNorm2d(1), nn.Flatten(), nn.Dropout(0.5), nn.Linear(64, 3)).train()
    model, masks = TorchModule(net), Masks(0, IDS, draws=3)
    first = model.samples(small_images, masks)
    # With the statistics of the batch, scaled inputs would give the same answers.
    assert not torch.allclose(model.samples(small_images * 0.5, masks), first, atol=1e-3)


def test_answers_have_no_dropout(small_images: Tensor) -> None:
    net = NETWORKS["sequence1"]()
    with torch.no_grad():
        expected = net.eval()(small_images)
    assert torch.allclose(TorchModule(net, dropout=Dropout(0.9)).observe(small_images).logits, expected, atol=1e-6)


# Rates


def test_another_rate_than_the_networks_own(small_images: Tensor) -> None:
    net, masks = NETWORKS["sequence1"](), Masks(0, IDS, draws=40)
    spreads = [
        TorchModule(net, dropout=None if rate is None else Dropout(rate)).samples(small_images, masks).std(dim=0).mean()
        for rate in (0.02, 0.1, None, 0.6)  # its own are 0.3 and 0.4
    ]
    assert spreads == sorted(spreads)
    assert spreads[0] < 0.5 * spreads[2]


# What a model offers


def test_offers_dropout_where_there_is_some() -> None:
    for build in NETWORKS.values():
        assert Capability.DROPOUT in TorchModule(build()).offers
    assert Capability.DROPOUT not in TorchModule(nn.Linear(2, 2)).offers
    assert Capability.DROPOUT in TorchModule(nn.Linear(2, 2), dropout=Dropout(0.5)).offers
    assert isinstance(TorchModule(nn.Linear(2, 2)), Stochastic)


def test_another_dropout_is_another_model(tiny_model: TorchModule) -> None:
    shape = (1, 8, 8)
    names = {tiny_model.dropping(one).identity(shape) for one in (Dropout(0.5), Dropout(0.4), Dropout(0.5, ("2",)))}
    assert len(names | {tiny_model.identity(shape)}) == 4
    assert tiny_model.dropping(Dropout()).identity(shape) == tiny_model.identity(shape)


def test_masks_must_be_those_of_the_inputs(tiny_model: TorchModule, small_images: Tensor) -> None:
    with pytest.raises(RuntimeError, match="masks of 3 for 40 inputs"):
        tiny_model.samples(small_images, Masks(0, ("a", "b", "c")))
    with pytest.raises(InvalidData, match="at least one input"):
        tiny_model.dropping(Dropout(0.5)).samples(small_images[:0], Masks(0, ()))


def test_probabilities_stay_probabilities(small_images: Tensor) -> None:
    net, masks = NETWORKS["sequence1"](), Masks(0, IDS, draws=3)
    expected = TorchModule(net).samples(small_images, masks)
    ours = TorchModule(nn.Sequential(net, nn.Softmax(dim=1))).samples(small_images, masks)
    assert torch.allclose(ours, expected, atol=1e-6)


def test_the_form_of_answers_is_settled_without_dropout(small_images: Tensor) -> None:
    class Posing(nn.Module):
        """Its answers are 1.5 without dropout, and 0.25 for each of four classes with any."""

        def forward(self, x: Tensor) -> Tensor:
            ones = functional.dropout(torch.ones_like(x.flatten(1)[:, :4]), 0.5, self.training)
            return 1.5 - 1.25 * (ones - 1).abs()

    model = TorchModule(Posing())
    model.samples(small_images, Masks(0, IDS, draws=1))
    assert bool((model.observe(small_images).logits == 1.5).all())
