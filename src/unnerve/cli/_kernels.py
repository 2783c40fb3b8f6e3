"""What the command says to the kernels of dense layers; a library must not, for the process is not its own."""

import os

__all__ = ["keep_sums_alike"]


def keep_sums_alike() -> None:
    """Let MKL add up in one order, whatever the number of threads and rows, unless the user has said otherwise.

    Else the last bits of a dense layer may depend on both (decisions/110). It costs nothing that can be measured; other
    libraries do not look at it.
    """
    os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")
