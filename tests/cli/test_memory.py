import ctypes
import resource
import subprocess
import sys

import pytest

from unnerve.cli._memory import keep_freed_memory

_PASSES = """
import resource, sys
import torch
from unnerve.cli._memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
torch.set_num_threads(1)

def work():
    layers = [torch.ones(2**20) for _ in range(8)]

for _ in range(3):
    work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    """Return how many pages the system had to clear in 20 passes over 32 MiB."""
    done = subprocess.run([sys.executable, "-c", _PASSES, how], check=True, capture_output=True, text=True)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc is spoken to")
def test_memory_is_used_again() -> None:
    pages = 20 * 8 * 2**22 // resource.getpagesize()
    assert faults("kept") < pages / 20


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    keep_freed_memory()
