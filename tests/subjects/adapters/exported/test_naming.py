import pytest
from torch import fx

from tests.subjects.adapters.exported.networks import NETWORKS, exported
from unnerve.subjects.adapters.exported.conversion import converted
from unnerve.subjects.declaration import ExpectedInput

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    ("name", "layers"),
    [
        (
            "residual",
            ["conv1", "relu", "block.conv", "block.norm", "block.add", "block.relu_1", "max_pool2d", "drop", "fc"],
        ),
        ("recurrent", ["lstm", "fc"]),
        ("shared", ["a", "r", "linear_2", "linear"]),
    ],
)
def test_operations_are_called_as_the_layers_that_made_them(name: str, layers: list[str]) -> None:
    module = exported(NETWORKS[name]().eval(), None).module()
    assert isinstance(module, fx.GraphModule)
    program = converted(module, None, ExpectedInput("net", (1, 8, 8)))
    assert [name for name, part in program.named_modules() if name and not list(part.children())] == layers
