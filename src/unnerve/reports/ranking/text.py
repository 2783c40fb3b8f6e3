"""The same story in about ten lines for a terminal."""

from pathlib import Path

from unnerve.reports.parts.names import display_name, printable
from unnerve.reports.parts.numbers import count, duration, percent, percent_between, significant
from unnerve.reports.parts.text_table import aligned
from unnerve.reports.ranking.series import bars
from unnerve.reports.ranking.verdict import caveats, nothing_found, noun, stronger_command, verdict
from unnerve.studies.rank.ranking_proof import RankingProof

__all__ = ["ranking_text"]

_SCORES = 6


def ranking_text(proof: RankingProof, report_path: str | Path | None) -> str:
    """Tell a ranking proof's story in plain text.

    Parameters
    ----------
    proof : RankingProof
    report_path : path or None
        Where the HTML report is, if there is one.

    Returns
    -------
    str
        About ten lines without markup or control characters.
    """
    loud, said = len(proof.accuracy.doubts), caveats(proof)
    lines = [*said[:loud], "".join(phrase.text for phrase in verdict(proof)), *said[loud : loud + 2], ""]
    if nothing_found(proof):
        lines += [f"To look harder: {line}", ""] if (line := stronger_command(proof)) else []
    else:
        lines += [*_table(proof), ""]
    lines += [_counts(proof), f"{_setting(proof)}, {duration(proof.seconds)}."]
    if report_path is not None:
        lines.append(f"Report: {printable(str(report_path))}")
    return "\n".join(lines)


def _table(proof: RankingProof) -> list[str]:
    rows = [("order", "tries to first failure", "saved", "APFD")]
    ordered = bars(proof)
    ranked = [bar for bar in ordered if bar.ranked]
    lead = next(iter(proof.scores))
    shown = sorted(ranked, key=lambda bar: bar.name != lead)[:_SCORES]
    for bar in (bar for bar in ranked if bar in shown):
        one = proof.scores[bar.name]
        saved = percent(one.inc.mean)
        if proof.trial.repeats > 1:
            saved += f" ({percent_between(*one.inc.ci95)})"
        rows.append((bar.name, bar.text, saved, "-" if one.apfd is None else significant(one.apfd.mean)))
    rows += [(bar.name, bar.text, "", "") for bar in ordered if not bar.ranked]
    left_out = len(ranked) - _SCORES
    return aligned(rows) + ([f"  and {left_out} more in the report"] if left_out > 0 else [])


def _counts(proof: RankingProof) -> str:
    broken, total = int((proof.eff > 0).sum()), count(len(proof.eff), noun(proof))
    parts = [f"Vulnerable (Eff > 0): {count(broken)} of {total}, mean Eff {percent(float(proof.eff.mean()))}"]
    if proof.runner_up_share == proof.runner_up_share:
        parts.append(f"{percent(proof.runner_up_share)} of the errors fall to the runner-up class")
    if proof.accuracy.share is not None:
        parts.append(f"accuracy {percent(proof.accuracy.share.mean)}")
    return "; ".join(parts) + "."


def _setting(proof: RankingProof) -> str:
    trial, data = proof.trial, display_name(proof.data, 60)
    each = f"{count(trial.tries, 'tries')} each ({printable(trial.perturbation)})"
    repeats = count(trial.repeats, "repeats")
    return f"{count(len(proof.candidates), noun(proof))} of {data}, {each}, {repeats}, seed {trial.seed}"
