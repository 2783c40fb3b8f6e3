import ctypes
import os
import resource
import subprocess
import sys

import pytest

from unnerve.cli._memory import keep_freed_memory

_PASSES = """
import ctypes, resource, sys
from unnerve.cli._memory import keep_freed_memory
if sys.argv[1] == "kept":
    keep_freed_memory()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_size_t], [ctypes.c_void_p]

def work():
    blocks = [libc.malloc(24 * 2**20) for _ in range(2)]
    for block in blocks:
        ctypes.memset(block, 1, 24 * 2**20)
    for block in blocks:
        libc.free(block)

for _ in range(3):
    work()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    work()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(how: str) -> int:
    """Return how many pages the system had to clear in 10 passes over 48 MiB."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    done = subprocess.run([sys.executable, "-c", _PASSES, how], check=True, capture_output=True, text=True, env=plain)
    return int(done.stdout)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only glibc is spoken to")
def test_memory_is_used_again() -> None:
    pages = 10 * 48 * 2**20 // resource.getpagesize()
    assert faults("kept") < pages / 20
    assert faults("given back") > pages / 2, "else nothing was shown"


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    keep_freed_memory()
