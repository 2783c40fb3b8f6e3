"""The whole story on embedded data: LeNet-5 with its shipped weights, 5,000 digits it has never seen."""

from pathlib import Path

from unnerve.core.errors import OutputRefused
from unnerve.core.progress import ShowProgress
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.rank.rank import rank
from unnerve.studies.rank.ranking_proof import RankingProof
from unnerve.studies.rank.result import Ranking
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.data import examples
from unnerve.subjects.models import model

__all__ = ["demo"]


def demo(folder: Path, *, seed: int = 0, progress: ShowProgress = None) -> tuple[Ranking, RankingProof]:
    """Rank the embedded digits and prove the order; the folder is made first, so that a bad one costs no time."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OutputRefused(f"cannot write to {folder}: {problem.strerror}") from problem
    subject, digits = model("zoo:lenet5"), examples("mnist5k")
    return rank(subject, digits), evaluate_ranking(subject, digits, trial=RankingTrial(seed=seed), progress=progress)
