"""What the report of a ranking says before anybody scrolls: what to review first, and what that finds."""

from dataclasses import dataclass

import numpy as np
from scipy import stats

from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.parts.commands import command_line
from unnerve.reports.parts.numbers import count, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.reports.ranking.method_words import perturbation_words, score_words
from unnerve.reports.ranking.strip import Shown
from unnerve.reports.ranking.target import Target, target
from unnerve.reports.ranking.verdict import lead, noun
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["RankingFirst", "Suspect", "coinciding", "effort", "ranking_first", "suspects_command"]

# A tenth of the inputs is about what a team reviews by hand, and the effort that papers on prioritisation compare at.
_SHARE = 10
# Two rows of pictures: more would push the chart below the first screen.
_TOP = 12
# Of fewer hits a tenth of one tells more than a rounded 0.
_FEW = 10


@dataclass(frozen=True)
class Suspect:
    """One of the most suspect inputs.

    Parameters
    ----------
    shown : Shown
    hit : bool
        Whether it is one of those looked for.
    tried : str
        What the tries did to it.
    """

    shown: Shown
    hit: bool
    tried: str


@dataclass(frozen=True)
class RankingFirst:
    """The first screen.

    Parameters
    ----------
    headline, why : tuple of Phrase
    top : tuple of Suspect
        The most suspect inputs.
    framed : str
        What those looked for are.
    breaking : str
        What it means that an input breaks.
    chart_title : str
    coinciding : str
        Which scores find the same; empty if none do.
    command, reason : str
        What to do next; empty if no command can.
    """

    headline: tuple[Phrase, ...]
    why: tuple[Phrase, ...]
    top: tuple[Suspect, ...]
    framed: str
    breaking: str
    chart_title: str
    coinciding: str
    command: str
    reason: str


def ranking_first(proof: RankingProof, inputs: dict[int, Shown]) -> RankingFirst | None:
    """Return the first screen; None if there is nothing to be found."""
    sought, one = target(proof), lead(proof)
    if not sought.count:
        return None
    rows = [int(row) for row in one.order[:_TOP] if int(row) in inputs]
    top = tuple(Suspect(inputs[row], bool(sought.hit[row]), _tried(proof, row)) for row in rows)
    return RankingFirst(
        headline=_headline(proof, sought),
        why=_why(proof, sought, len(top)),
        top=top,
        framed="wrong answer" if sought.wrong else "breaks",
        breaking=_breaking(proof),
        chart_title=f"How many {sought.words} are found, and how soon?",
        coinciding=coinciding(proof, sought),
        command=suspects_command(proof.provenance, _effort(proof)),
        reason=f"hunt from the most suspect {noun(proof)}; they may break with the fewest queries:",
    )


def coinciding(proof: RankingProof, sought: Target) -> str:
    """Say which scores find the same inputs at every place of their orders."""
    groups: dict[bytes, list[str]] = {}
    for name, one in proof.scores.items():
        # Orders may differ among inputs that are alike: only where the hits stand decides what a reviewer finds.
        groups.setdefault(np.packbits(sought.hit[one.order]).tobytes(), []).append(name)
    alike = [" = ".join(names) for names in groups.values() if len(names) > 1]
    return f"Coinciding: {'; '.join(alike)}." if alike else ""


def effort(total: int) -> int:
    """Return how many of so many inputs are reviewed first: a tenth."""
    return max(1, round(total / _SHARE))


def _effort(proof: RankingProof) -> int:
    return effort(len(proof.candidates))


def _headline(proof: RankingProof, sought: Target) -> tuple[Phrase, ...]:
    total, effort = len(proof.candidates), _effort(proof)
    found = int(sought.hit[lead(proof).order[:effort]].sum())
    every = found == sought.count > 1
    part = f"all {count(found)}" if every else f"{count(found)} of the {count(sought.count)}"
    what = f"{count(effort)} of {count(total, noun(proof))} hold {part} "
    figure = what + (sought.words if sought.wrong else "that break")
    # An order inside what random orders reach earns no advice to follow it.
    opening = "Review these first: " if found > _by_chance(proof, sought)[1] else "No better than chance: "
    return (Phrase(opening), Phrase(figure, "figure"))


def _by_chance(proof: RankingProof, sought: Target) -> tuple[int, int]:
    # A random order draws inputs without putting them back, so the hits in its beginning are hypergeometric.
    chance = stats.hypergeom(len(proof.candidates), sought.count, _effort(proof))
    return int(chance.ppf(0.025)), int(chance.ppf(0.975))


def _why(proof: RankingProof, sought: Target, shown: int) -> tuple[Phrase, ...]:
    one, effort, total = lead(proof), _effort(proof), len(proof.candidates)
    mean = effort * sought.count / total
    low, high = _by_chance(proof, sought)
    hits = int(sought.hit[one.order[:shown]].sum())
    verb = ("is wrong" if hits == 1 else "are wrong") if sought.wrong else ("breaks" if hits == 1 else "break")
    among = f"Of the {shown} below, {hits} {verb}. " if shown else ""
    about = f"{mean:.0f}" if mean >= _FEW else significant(round(mean, 1))
    chance = f"In random order the same effort finds about {about} (95 % of orders: {low} to {high}). "
    meaning = score_words(one.score)
    ordered = Phrase(f" ({meaning})." if meaning else ".")
    return (Phrase(f"{chance}{among}Ordered by "), Phrase(one.score, "name"), ordered)


def _breaking(proof: RankingProof) -> str:
    what = "An image" if noun(proof) == "images" else "An input"
    tries = count(proof.trial.tries, "tries")
    return f"{what} breaks if one of {tries} changes the answer. A try: {perturbation_words(proof.trial)}."


def _tried(proof: RankingProof, row: int) -> str:
    changed, tries = round(float(proof.eff[row]) * proof.trial.tries), count(proof.trial.tries, "tries")
    return f"breaks, {count(changed)} of {tries}" if changed else f"holds in {tries}"


def suspects_command(made: Provenance | None, inputs: int, table: str | None = None) -> str:
    """Return the hunt that goes on from a ranking's table; empty if no command can.

    Parameters
    ----------
    made : Provenance or None
        How the ranking came about.
    inputs : int
        How many of the most suspect to hunt from.
    table : str, optional
        Where the table is; where the ranking's command wrote it by default.
    """
    if made is None or made.data is None:
        return ""
    place = table or str(made.call.settings.get("out", "ranking.csv"))
    hunt = Call("hunt", {"order": place, "inputs": str(inputs), "out": "runs/suspects"})
    return command_line(Provenance(hunt, made.model, made.data).words())
