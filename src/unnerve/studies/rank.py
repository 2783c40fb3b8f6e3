"""Order inputs by how easily each will be turned into an error, most suspect first."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import torch
from torch import Tensor

from unnerve.core.catalogue import describe
from unnerve.core.errors import InvalidData, InvalidSetting, OutputRefused
from unnerve.core.examples import Batch, Examples
from unnerve.core.files import check_writable, whole_file
from unnerve.core.keywords import flat
from unnerve.core.masks import Masks
from unnerve.core.methods import EVIDENCE, Score, evidence
from unnerve.core.model import Capability, Classifier, Stochastic, require
from unnerve.core.progress import OnSteps, ShowProgress, steps_shown
from unnerve.core.results import Result
from unnerve.core.scores import score_named
from unnerve.core.streams import Streams
from unnerve.studies.dropout_settings import DropoutSettings
from unnerve.studies.dropping import dropping
from unnerve.subjects.data import examples
from unnerve.subjects.models import model as as_model

__all__ = ["Ranking", "Scored", "most_suspect_first", "rank", "scored", "writable_table"]

_SUFFIXES = (".csv", ".parquet")
_BLOCK, _BLOCK_OF_DRAWS = 1024, 256


@dataclass(frozen=True, eq=False)
class Scored:
    """What one pass over a data set says of every input, in the data's order.

    Parameters
    ----------
    scores : dict of str to float array of shape (N,)
        By name of the score; higher is more suspect.
    predicted : int64 array of shape (N,)
    runner_up : int64 array of shape (N,)
        The second most probable class.
    confidence : float array of shape (N,)
        Probability of the predicted class.
    """

    scores: dict[str, np.ndarray]
    predicted: np.ndarray
    runner_up: np.ndarray
    confidence: np.ndarray


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Inputs in an order of suspicion.

    Parameters
    ----------
    score : str
        The score that made the order.
    order : int64 array of shape (N,)
        Row numbers, the most suspect first; ties keep the data's order.
    scored : Scored
        In the data's order.
    data : Examples
        What was ranked.
    seconds : float
        Time of the pass.
    """

    score: str
    order: np.ndarray
    scored: Scored
    data: Examples
    seconds: float

    def __len__(self) -> int:
        return len(self.order)

    def table(self) -> pa.Table:
        """Return a table with ``id, score, rank, predicted, confidence`` (and ``label`` if known), in rank order."""
        labels = self.data.label_array()
        columns: dict[str, Any] = {
            "id": pa.array(self.data.ids(self.order.tolist())),
            "score": self.scored.scores[self.score][self.order],
            "rank": np.arange(1, len(self) + 1),
            "predicted": self.scored.predicted[self.order],
            "confidence": self.scored.confidence[self.order],
        }
        if labels is not None:
            columns["label"] = labels[self.order]
        return pa.table(columns)

    def summary(self) -> dict[str, Any]:
        """Return the stable figures as JSON."""
        return {"score": self.score, "count": len(self), "seconds": self.seconds}

    def headline(self) -> str:
        """Return what was ranked, in one line."""
        return f"{len(self):,} inputs of {self.data.name} by {self.score}, most suspect first"

    def save(self, path: str | Path) -> None:
        """Write the table as ``.csv`` or ``.parquet``: the whole file or none."""
        path = writable_table(path)
        write = pa.csv.write_csv if path.suffix == ".csv" else pa.parquet.write_table
        with whole_file(path) as part:
            write(self.table(), part)


@flat()
def rank(
    model: Any,
    data: Any,
    score: str | Score = "pd",
    *,
    seed: int = 0,
    dropout: DropoutSettings,
    progress: ShowProgress = None,
) -> Ranking:
    """Rank a data set with one forward pass per input; data larger than memory is read in blocks.

    Scores of dropout, such as ``vro``, need further passes, and a model with dropout.

    Parameters
    ----------
    model, data : anything that ``unnerve.model`` and ``unnerve.examples`` take
    score : str or function
        A score's name, or a function from probabilities (N, C) to (N,), higher = more suspect.
    seed : int
        The random seed, for the score ``random`` and for dropout masks.
    dropout : DropoutSettings
        For scores of dropout; its fields are given as keywords: ``dropout=0.4``, ``draws=50``.
    progress : bool or callable (inputs done, inputs in all), optional
        True shows a bar.

    Returns
    -------
    Ranking

    Examples
    --------
    >>> import unnerve
    >>> order = unnerve.rank("zoo:lenet5", "mnist5k", "pd")
    >>> order.to_pandas().head()
    """
    start = time.perf_counter()
    inputs = examples(data)
    method = score_named(score)
    name = describe(method)["name"] if isinstance(score, str) else getattr(score, "__name__", "score")
    subject = dropping(as_model(model), inputs, dropout, seed)
    with steps_shown(progress, "ranking", "inputs") as on_steps:
        answers = scored(subject, inputs, {name: method}, seed=seed, draws=dropout.count, progress=on_steps)
    order = most_suspect_first(answers.scores[name])
    return Ranking(name, order, answers, inputs, time.perf_counter() - start)


def scored(
    model: Classifier,
    data: Examples,
    scores: Mapping[str, Score],
    *,
    seed: int = 0,
    draws: int = 50,
    progress: OnSteps = lambda done, total: None,
) -> Scored:
    """Compute several scores of every input in one pass, and in one set of dropout draws if a score needs them."""
    for name, score in scores.items():
        unknown = set(evidence(score)) - set(EVIDENCE)
        if unknown:
            raise InvalidSetting(f"score {name} needs {' and '.join(sorted(unknown))}, which a ranking does not have")
        if "draws" in evidence(score) and not isinstance(model, Stochastic):
            require(model, Capability.DROPOUT, name)
    drawn = any("draws" in evidence(score) for score in scores.values())
    parts: list[list[np.ndarray]] = []
    done = 0
    for batch in data.batches(_BLOCK_OF_DRAWS if drawn else _BLOCK):
        masks = Masks(seed, batch.ids, draws)
        parts.append([column.numpy() for column in _columns(model, batch, list(scores.values()), masks)])
        done += len(batch)
        progress(done, len(data))
    confidence, predicted, runner_up, *values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Scored(dict(zip(scores, values, strict=True)), predicted, runner_up, confidence)


def most_suspect_first(scores: np.ndarray) -> np.ndarray:
    """Return row numbers by falling score; ties keep their order."""
    return np.argsort(-scores, kind="stable")


def writable_table(path: str | Path) -> Path:
    """Return the path of a table, or raise before any work is done if it cannot be written there."""
    path = Path(path)
    if path.suffix not in _SUFFIXES:
        raise OutputRefused(f"a ranking is written as {' or '.join(_SUFFIXES)}, got '{path}'")
    check_writable(path)
    return path


def _columns(model: Classifier, batch: Batch, scores: Sequence[Score], masks: Masks) -> list[Tensor]:
    seen = model.observe(batch.inputs)
    classes = seen.logits.shape[1]
    if batch.labels is not None and int(batch.labels.max()) >= classes:
        raise InvalidData(
            f"labels must be in [0, {classes - 1}], the classes of {model.name}, got {batch.labels.max()}"
        )
    probabilities, predicted = seen.probabilities, seen.predicted.unsqueeze(1)
    # Not topk: among equals it takes any, and then an unchanged answer would look like a change.
    runner_up = seen.logits.scatter(1, predicted, float("-inf")).argmax(dim=1)
    given, wanted = {"probabilities": probabilities}, {name for score in scores for name in evidence(score)}
    if "uniform" in wanted:
        given["uniform"] = Streams(masks.seed, batch.ids).uniform(0, 0, ())
    if "draws" in wanted and isinstance(model, Stochastic):
        given["draws"] = model.samples(batch.inputs, masks)
    values = [score(*(given[name] for name in evidence(score))) for score in scores]
    for value in values:
        if value.shape != (len(batch),) or not bool(torch.isfinite(value).all()):
            raise InvalidSetting(f"a score must return one finite number per input, got shape {tuple(value.shape)}")
    return [probabilities.gather(1, predicted).squeeze(1), seen.predicted, runner_up, *values]
