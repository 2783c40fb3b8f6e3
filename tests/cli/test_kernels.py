import os
import subprocess
import sys

import pytest

from unnerve.cli._kernels import keep_sums_alike

_SUMS = """
import torch
from unnerve.cli._kernels import keep_sums_alike
keep_sums_alike()
torch.manual_seed(0)
weight, x = torch.rand(120, 784) - 0.5, torch.rand(512, 784)
found = []
for threads in (1, 2):
    torch.set_num_threads(threads)
    found += [torch.nn.functional.linear(x[:rows], weight)[:32] for rows in (32, 128, 512)]
print(all(torch.equal(found[0], one) for one in found))
"""


def test_dense_layers_have_the_same_bits_for_any_number_of_threads_and_rows() -> None:
    plain = {name: value for name, value in os.environ.items() if name != "MKL_CBWR"}
    done = subprocess.run([sys.executable, "-c", _SUMS], check=True, capture_output=True, text=True, env=plain)
    assert done.stdout.strip() == "True"


def test_the_users_word_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MKL_CBWR", "COMPATIBLE")
    keep_sums_alike()
    assert os.environ["MKL_CBWR"] == "COMPATIBLE"
