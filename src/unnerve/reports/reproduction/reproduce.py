"""Reproduce: a paper's tables, regenerated, next to the printed figures."""

from pathlib import Path

from unnerve.core.naming.catalogue import find
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.storage.files import whole_file
from unnerve.papers._outline import Outline
from unnerve.reports.reproduction.files import reproduction_files
from unnerve.studies.reproduction import Reproduction

__all__ = ["reproduce"]


def reproduce(
    paper: str,
    data: str | Path,
    out: str | Path | None = None,
    *,
    full: bool = False,
    seed: int = 0,
    table: str | None = None,
    progress: ShowProgress = None,
    command: str = "",
) -> Reproduction:
    """Regenerate a paper's tables and figures, and write them into a folder.

    Parameters
    ----------
    paper : str
        ``nsatp``, ``peacepact``, ``kuk``, ``deepsensor``.
    data : path
        Folder with ``mnist/``, ``cifar10/`` ...; what it lacks is left out, and said.
    out : path, optional
        Folder for results; ``runs/PAPER`` by default. Finished parts are kept there: the same call goes on after an
        interruption.
    full : bool
        The paper's size instead of about half an hour.
    seed : int
        The random seed.
    table : str, optional
        Run the cells of one table only, by its number in the paper: ``3`` or ``III``.
    progress : bool or callable (parts done, parts in all), optional
        True shows a bar.
    command : str
        The command that asked for it, shown in the report.

    Returns
    -------
    Reproduction

    Examples
    --------
    >>> import unnerve
    >>> unnerve.reproduce("nsatp", "data").claims[0].held
    """
    study = find("paper", paper)
    folder = Path("runs") / paper if out is None else Path(out)
    with steps_shown(progress, f"reproducing {paper}", "parts") as on_steps:
        outline: Outline[object] = study(Path(data), folder, full=full, seed=seed)
        result = outline.finished(on_steps, table)
    for name, text in reproduction_files(result, command).items():
        with whole_file(folder / name) as part:
            part.write_text(text)
    return result
