from unnerve.papers.deepsensor.experiment import Experiment
from unnerve.papers.deepsensor.experiments.errors import errors

METHODS = (
    "sensitive neurons",
    "sensitive neurons, to the letter",
    "excitable neurons",
    "margin",
    "random noise",
    "PGD",
    "tour (ours)",
)


def test_errors_are_counted(experiment: Experiment) -> None:
    rows = errors(experiment).rows
    assert tuple(rows) == METHODS
    assert rows["tour (ours)"].seeds_broken == 6
    assert rows["tour (ours)"].error_categories > rows["PGD"].error_categories > 0
    assert rows["sensitive neurons"].queries == 6 * (1 + 1 + 4 * 12), "clean, watched, and every particle"
