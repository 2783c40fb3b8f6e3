"""What makes answers look wrong as a whole: weights that were not loaded, inputs that were not normalised ..."""

from collections import Counter
from collections.abc import Mapping, Sequence

from unnerve.core.data.class_names import class_called, telling

__all__ = ["doubts"]

Confusions = Mapping[tuple[int, int], int]

_FEW = 10
"""Fewer inputs say little about how labels and answers go together."""

_SLIGHT = 0.2
"""Agreement beyond chance that is called slight (Landis and Koch, 1977)."""

_MANIFOLD = 4
"""Times as many as by chance: where there are many classes, no longer near it, though the agreement be slight."""

_ALL = 0.9
_FOLLOWING, _FOLLOWING_OF_FEW = 0.6, 0.8
_LEAST = 3
"""Inputs of a label, on average, that show how it is answered."""

_REMEDY = "are the weights loaded (--weights) and inputs normalised as in training (--normalise, --model-range)?"


def doubts(confusions: Confusions, classes: int, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what looks wrong, each in one sentence.

    Parameters
    ----------
    confusions : dict of (int, int) to int
        How many inputs have this label, -1 for none, and this answer.
    classes : int
        How many the model tells apart.
    names : sequence of str
        What the data calls its classes; empty if it names none.
    """
    inputs, labels, answers = sum(confusions.values()), _sums(confusions, 0), _sums(confusions, 1)
    labelled = bool(confusions) and -1 not in labels
    said = []
    if labelled and _near_chance(confusions, inputs, classes):
        right = sum(count for (label, answer), count in confusions.items() if label == answer)
        chance = _by_chance(confusions, inputs, classes)
        many = inputs >= _FEW and right > _MANIFOLD * chance * inputs
        said.append(
            f"{right:,} of {inputs:,} answers are right, which is "
            + (f"little, though chance makes but {chance:.0%}" if many else "near chance")
        )
    commonest, times = answers.most_common(1)[0] if answers else (0, 0)
    # Data of one class may well have one answer; only labels tell.
    usual = labels.most_common(1)[0][1] if labelled else 0
    if inputs >= 2 * _FEW and times >= _ALL * inputs and usual < 0.75 * times:
        said.append(f"{times:,} of {inputs:,} inputs are answered alike ({_class(names, commonest)})")
    low = labelled and _agreement(confusions, inputs, classes) < 0.5
    other = _another_order(confusions, labels) if low else None
    if said and other is None:
        said[-1] += f": {_REMEDY}"
    if other is not None:
        label, answer = (class_called(names, number) for number in other)
        said.append(
            f"labels and classes seem to be numbered differently: most inputs labelled {label} are answered {answer}; "
            "--classes names the classes in the model's order"
        )
    elif low and names and len(names) != classes:
        said.append(f"the data names {len(names):,} classes and the model tells {classes:,} apart: labels may not fit")
    return tuple(said)


def _class(names: Sequence[str], number: int) -> str:
    return class_called(names, number) if telling(names) else f"class {number}"


def _sums(confusions: Confusions, place: int) -> Counter[int]:
    found: Counter[int] = Counter()
    for pair, count in confusions.items():
        found[pair[place]] += count
    return found


def _near_chance(confusions: Confusions, inputs: int, classes: int) -> bool:
    if inputs < 3 or classes < 2:
        return False
    if inputs < _FEW:
        return sum(count for (label, answer), count in confusions.items() if label == answer) <= inputs / classes
    return _agreement(confusions, inputs, classes) < _SLIGHT


def _agreement(confusions: Confusions, inputs: int, classes: int) -> float:
    """Return Cohen's kappa: 0 for answers that know nothing of the labels, however unequal classes are, 1 if right."""
    right = sum(count for (label, answer), count in confusions.items() if label == answer) / inputs
    by_chance = _by_chance(confusions, inputs, classes)
    return (right - by_chance) / (1 - by_chance) if by_chance < 1 else 1.0


def _by_chance(confusions: Confusions, inputs: int, classes: int) -> float:
    """Return the share that answers which know nothing of the labels would get right.

    Where all labels are the same that says nothing, and chance is one class of all.
    """
    labels, answers = _sums(confusions, 0), _sums(confusions, 1)
    if len(labels) == 1:
        return 1 / max(2, classes)
    return sum(labels[one] * answers[one] for one in labels) / inputs**2


def _another_order(confusions: Confusions, labels: Counter[int]) -> tuple[int, int] | None:
    """Return a label and its usual answer if answers follow the labels, but under other numbers; None if not."""
    usual = {label: max((n, answer) for (own, answer), n in confusions.items() if own == label) for label in labels}
    inputs = sum(labels.values())
    following = sum(count for count, _ in usual.values()) / inputs
    distinct = len({answer for _, answer in usual.values()}) == len(usual)
    moved = [(label, answer) for label, (_, answer) in usual.items() if label != answer]
    if len(labels) < 2 or inputs < max(2 * _FEW, _LEAST * len(labels)) or not distinct or not moved:
        return None
    # The most frequent of few answers is frequent by chance.
    if following < (_FOLLOWING if inputs >= _FEW * len(labels) else _FOLLOWING_OF_FEW):
        return None
    return min(moved)
