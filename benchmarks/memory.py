"""Peak memory of a program in a process of its own."""

import subprocess
import sys
from pathlib import Path

__all__ = ["measured"]

# Not ru_maxrss, which a process inherits from the one that started it.
_PEAK = """
from pathlib import Path
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(int(status["VmHWM"].split()[0]) / 2**20)
"""


def measured(program: str, folder: str, *arguments: str) -> list[float]:
    """Return the numbers that a Python program prints, run in ``folder``, and its peak memory in GiB as the last."""
    done = subprocess.run(
        [sys.executable, "-c", program + _PEAK, *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(folder),
    )
    return [float(word) for word in done.stdout.split()]
