"""Repeat one cell of a reproduction, and say whether it agrees with the stored one."""

from pathlib import Path

from unnerve.core.naming.catalogue import find
from unnerve.papers._outline import Outline, repeated
from unnerve.studies.repetition import Repetition

__all__ = ["repeat_cell"]


def repeat_cell(
    paper: str,
    data: str | Path,
    cell: str,
    stored: str | Path | None = None,
    *,
    full: bool = False,
    seed: int = 0,
) -> Repetition:
    """Run one cell of a paper's reproduction again from nothing, and compare it with the stored one.

    Parameters
    ----------
    paper : str
        ``nsatp``, ``peacepact``, ``kuk``, ``deepsensor``, ``deepsensor_faults``, ``deepsensor_speech``.
    data : path
        Folder with ``mnist/``, ``cifar10/`` ...
    cell : str
        Its name: that of a file in the folder ``cells``, without ``.json``.
    stored : path, optional
        Folder of results with the stored cell, ``runs/PAPER`` by default; what it holds is not changed.
    full : bool
        Of the paper's size.
    seed : int
        The random seed.

    Returns
    -------
    Repetition

    Examples
    --------
    >>> import unnerve
    >>> unnerve.repeat_cell("kuk", "data", "lenet5-mnist").agrees
    """
    study = find("paper", paper)

    def outline(folder: Path) -> Outline[object]:
        made: Outline[object] = study(Path(data), folder, full=full, seed=seed)
        return made

    return repeated(outline, cell, Path("runs") / paper if stored is None else Path(stored))
