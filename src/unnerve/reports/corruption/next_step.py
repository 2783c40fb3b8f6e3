"""The one command worth running after natural changes were measured."""

from dataclasses import replace

from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call
from unnerve.reports.corruption.verdict import by_harm, change_name
from unnerve.reports.parts.commands import NextStep, command_line, following_command
from unnerve.studies.corrupt.result import Corruption

__all__ = ["next_step"]

_PLACES = ("report", "out")

_CLIP_AXES = 2
"""Of shown clips: from no change to the most severe, then samples."""


def next_step(found: Corruption) -> NextStep:
    """Return the command that keeps images under the most harmful change, or ranks those that were kept.

    Changed clips are not kept: they are hunted with the same changes.
    """
    made, worst = found.provenance, by_harm(found)[0]
    if made is None:
        return NextStep("", "")
    if found.out is not None:
        ranked = following_command(replace(made, data=Opening(found.out)), "rank")
        return NextStep("order the changed inputs, the most suspect first:", ranked)
    if found.shown[0].images.ndim == _CLIP_AXES:
        hunted = following_command(made, "hunt", method="natural")
        return NextStep("find changes of these kinds under which each clip fails, and hear them:", hunted)
    # One change at one severity: all of them together are 75 times the data.
    # Where the run wrote to is left out: the page is still wanted.
    kept = {name: text for name, text in made.call.settings.items() if name not in _PLACES}
    only = {"changes": worst, "severities": str(max(found.severities)), "out": "changed.npz"}
    command = command_line(replace(made, call=Call("corrupt", kept | only, made.call.only_in_python)).words())
    return NextStep(f"write the inputs under {change_name(worst)}, to look at them or to train on them:", command)
