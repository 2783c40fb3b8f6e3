from torch import nn
from torch.nn.utils.parametrizations import weight_norm

from unnerve.subjects.adapters._layers import leaves


def test_layers_whose_parts_are_weights_are_whole() -> None:
    net = nn.Sequential(weight_norm(nn.Linear(4, 3)), nn.MultiheadAttention(4, 2))
    assert list(leaves(net)) == ["0", "1"]
