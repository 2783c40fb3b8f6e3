"""Reproduce: a paper's tables, regenerated, next to the printed figures."""

import inspect
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidSetting
from unnerve.core.naming.catalogue import find
from unnerve.core.naming.keywords import flat
from unnerve.core.progress import ShowProgress, steps_shown
from unnerve.core.storage.files import whole_file
from unnerve.papers._outline import Outline
from unnerve.reports.reproduction.files import reproduction_files
from unnerve.reports.reproduction.settings import ReproduceSettings
from unnerve.studies.reproduction import Reproduction

__all__ = ["reproduce"]


@flat()
def reproduce(
    paper: str,
    data: str | Path,
    out: str | Path | None = None,
    *,
    settings: ReproduceSettings,
    progress: ShowProgress = None,
    command: str = "",
) -> Reproduction:
    """Regenerate a paper's tables and figures, and write them into a folder.

    Parameters
    ----------
    paper : str
        ``nsatp``, ``peacepact``, ``kuk``, ``deepsensor``, ``deepsensor_faults``, ``deepsensor_speech``.
    data : path
        Folder with ``mnist/``, ``cifar10/`` ...; what it lacks is left out, and said.
    out : path, optional
        Folder for results; ``runs/PAPER`` by default. Finished parts are kept there: the same call goes on after an
        interruption.
    settings : ReproduceSettings
        Its fields are given as keywords: ``table="3"``, ``full=True``, ``seed=1``.
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
        outline: Outline[object] = study(
            Path(data), folder, full=settings.full, seed=settings.seed, **_further(paper, study, settings)
        )
        chosen = outline.stored() if settings.stored else outline
        result = chosen.finished(on_steps, settings.table, settings.only)
    for name, text in reproduction_files(result, command).items():
        with whole_file(folder / name) as part:
            part.write_text(text)
    return result


def _further(paper: str, study: Any, settings: ReproduceSettings) -> dict[str, int]:
    """Return the settings that not every paper has."""
    if settings.inputs is None:
        return {}
    if "inputs" not in inspect.signature(study).parameters:
        raise InvalidSetting(f"{paper} has no pilot: leave inputs={settings.inputs} away")
    return {"inputs": settings.inputs}
