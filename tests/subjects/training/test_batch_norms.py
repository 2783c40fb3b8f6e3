import torch
from torch import nn

from unnerve.subjects.training.batch_norms import fold_into, with_batch_norms


def network() -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Sequential(nn.Conv2d(3, 4, 1), nn.ReLU()), nn.Flatten(), nn.Linear(64, 2)
    )


def test_a_norm_stands_behind_every_convolution() -> None:
    scaffold = with_batch_norms(network())
    assert [type(one).__name__ for one in scaffold.modules() if isinstance(one, nn.BatchNorm2d)] == ["BatchNorm2d"] * 2


def test_a_convolution_that_makes_the_logits_has_none() -> None:
    scaffold = with_batch_norms(nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(3, 2, 4), nn.Flatten()))
    assert sum(isinstance(one, nn.BatchNorm2d) for one in scaffold.modules()) == 1


def test_folded_weights_answer_as_the_normed_network_does() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        module = network()
        scaffold = with_batch_norms(module)
        for _ in range(20):  # running means and variances move away from zero and one
            scaffold(torch.rand(16, 1, 6, 6) * 3 - 1).sum().backward()
        for parameter in scaffold.parameters():
            parameter.data.add_(torch.randn_like(parameter) * 0.1)
        x = torch.rand(8, 1, 6, 6)
    scaffold.eval()
    before = [tuple(one.shape) for one in module.state_dict().values()]
    fold_into(module, scaffold)
    assert torch.allclose(module(x), scaffold(x), atol=1e-5)
    assert [tuple(one.shape) for one in module.state_dict().values()] == before
