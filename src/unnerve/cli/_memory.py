"""What the command says to the C library about memory; a library must not, for the process is not its own."""

import ctypes

__all__ = ["keep_freed_memory"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_KEPT, _LARGE = 64 * 2**20, 32 * 2**20


def keep_freed_memory() -> None:
    """Let glibc keep up to 64 MiB of freed memory, and blocks of up to 32 MiB among it; elsewhere do nothing.

    Every pass frees the outputs of its layers and asks for the same again. Given back to the system in between, each
    page is cleared anew: measured, that took up to a third of the time of a pass.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):  # another C library, another system
        return
    mallopt(_MMAP_THRESHOLD, _LARGE)
    mallopt(_TRIM_THRESHOLD, _KEPT)
