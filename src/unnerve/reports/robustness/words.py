"""How robust a model is, in words: for the page and for the terminal."""

from unnerve.core.naming.specification import specification
from unnerve.reports.parts.commands import NextStep, following_command
from unnerve.reports.parts.names import display_name
from unnerve.reports.parts.numbers import between, count, percent, percent_between, significant
from unnerve.reports.parts.phrases import Phrase
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.score.result import Robustness

__all__ = ["by_attack", "figure", "measure_name", "next_step", "norm", "robustness_text", "span", "verdict"]

_NORMS = {"linf": "L\u221e", "l2": "L2", "l1": "L1"}


def by_attack(found: Robustness) -> bool:
    """Say whether attacks were tried; else distances were measured."""
    return found.measure.startswith("attack_success")


def measure_name(found: Robustness) -> str:
    """Return the name of a measure of distances: that of a user's own without its settings."""
    name = specification(found.measure).name
    return "CLEVER" if name == "clever" else display_name(name, 40)


def figure(found: Robustness, value: float) -> str:
    """Write the share that attacks break, or a distance."""
    return percent(value) if by_attack(found) else significant(value)


def span(found: Robustness, one: Interval) -> str:
    """Write an interval of such a figure."""
    return percent_between(*one.ci95) if by_attack(found) else between(round(one.low, 6), round(one.high, 6))


def norm(found: Robustness) -> str:
    """Return what distances are measured in."""
    known = str(found.more.get("norm"))
    return _NORMS.get(known, known)


def verdict(found: Robustness) -> tuple[Phrase, ...]:
    """Return the first sentence: what was measured, with its interval."""
    shown = Phrase(figure(found, found.mean.mean), "figure")
    sure = f" (95 %: {span(found, found.mean)})"
    if by_attack(found):
        attacked = sum(1 for one in found.scored if one.correct is not False)
        which = "" if found.accuracy is None else " answered correctly"
        where = f" within {display_name(str(found.more['region']), 40)}{sure}."
        return (Phrase("Attacks break "), shown, Phrase(f" of {count(attacked, 'inputs')}{which}{where}"))
    opening = f"Answers are estimated to hold within a distance of {norm(found)} "
    return (Phrase(opening), shown, Phrase(f"{sure} on average of {count(len(found.scored), 'inputs')}."))


def next_step(found: Robustness) -> NextStep:
    """Return the hunt that keeps the inputs which an attack breaks."""
    if by_attack(found):
        settings = {"region": str(found.more["region"]), "out": "runs/hunt"}
        return NextStep("keep what breaks the model, and look at it:", _hunt(found, settings))
    # An estimate says nothing of which inputs fail: a search in the same norm does.
    name, mean = str(found.more.get("norm")), found.mean.mean
    region = {"region": f"{name}:{mean:.3g}"} if name in ("l2", "linf") and mean else {}
    reason = f"an attack may find a nearer change than {measure_name(found)} estimates; look for one at that distance:"
    return NextStep(reason, _hunt(found, region | {"out": "runs/hunt"}))


def robustness_text(found: Robustness, report: object) -> str:
    """Tell the same in plain text."""
    lines = [f"{display_name(found.model, 60)}: {''.join(one.text for one in verdict(found))}"]
    accuracy = found.accuracy
    if accuracy is not None:
        lines.append(f"Accuracy on them {percent(accuracy.mean)} ({percent_between(*accuracy.ci95)})")
    for kind, some in found.parts.items():
        lines += [f"  {kind} {name}: {figure(found, one.mean)} ({span(found, one)})" for name, one in some.items()]
    lines.append(f"Report: {report}")
    following = next_step(found).command
    return "\n".join(lines + ([f"Next: {following}"] if following else []))


def _hunt(found: Robustness, settings: dict[str, str]) -> str:
    return following_command(found.provenance, "hunt", **settings)
