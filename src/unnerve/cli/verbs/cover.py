"""``unnerve cover``: how much of a network a set of inputs exercises."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli._session import shows_progress
from unnerve.cli._verb import Given, verb
from unnerve.cli.options import DataArgument, JsonOption, ModelArgument, WorkersOption, opened, use_workers
from unnerve.core.errors import InvalidSetting, OutputRefused
from unnerve.studies.gates.gate import GateSettings
from unnerve.subjects.opening import DataOptions, ModelOptions

__all__ = ["cover"]


@verb(GateSettings, ModelOptions, DataOptions)
def cover(
    model: ModelArgument,
    data: DataArgument,
    given: Given,
    profile: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Training data (its train split), or a file of --save-profile."),
    ] = None,
    criteria: Annotated[str, typer.Option(help="all, or some of {coverage} with their settings.")] = "all",
    also: Annotated[
        str | None, typer.Option(metavar="DATA", help="Further inputs, or the folder of a campaign: what do they add?")
    ] = None,
    inputs: Annotated[int | None, typer.Option(min=1, help="Measure the first N inputs.")] = None,
    profile_limit: Annotated[int | None, typer.Option(min=1, help="Make the profile from the first N inputs.")] = None,
    save_profile: Annotated[Path | None, typer.Option(help="Keep the profile, as .safetensors.")] = None,
    out: Annotated[Path | None, typer.Option(help="The figures as a .json file.")] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="[PATH]", help="Write the HTML report; cover.html if no path follows.")
    ] = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how much of a network a set of inputs exercises.

    All criteria share one pass. kmnc, nbc and snac compare with what the neurons did on training data (--profile);
    without it they are left out.

    \b
    unnerve cover zoo:lenet5 mnist5k --split test
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k --criteria nc:0.5,kmnc:sections=10000
    unnerve cover zoo:lenet5 mnist5k --split test --profile lenet5.safetensors --also runs/hunt --report cover.html
    """
    import json as encoding

    from unnerve.cli.show import tell
    from unnerve.core.data.provenance import called_with
    from unnerve.core.storage.files import whole_file
    from unnerve.reports.cover.first import next_step
    from unnerve.reports.cover.html import write_cover_report
    from unnerve.reports.parts.commands import command_figure
    from unnerve.studies.cover.cover import cover as covered
    from unnerve.studies.cover.cover import criteria_named, profile_from, watched
    from unnerve.studies.gates.gate import gate

    use_workers(workers)
    _check_files(profile, profile_limit, save_profile, out, report)
    asked = criteria_named(criteria)  # a wrong name shows before anything is opened
    limits = given[GateSettings]
    limits.check([key.partition(":")[0] for key in asked], ["neurons", "inputs"])
    subject, whole = opened(model, data, given)
    # The profile is made like the whole data set: --inputs limits what is measured, not what it is compared with.
    examples, shown = whole.first(inputs), shows_progress()
    bounds = profile_from(watched(subject, whole.value_range), profile, whole, limit=profile_limit, progress=shown)
    if bounds is not None and save_profile is not None:
        bounds.save(save_profile)
    found = covered(subject, examples, bounds, criteria, also=also, progress=shown)
    said = {"profile": profile, "profile_limit": profile_limit, "report": report}
    found = called_with(found, **{name: str(value) for name, value in said.items() if value is not None})
    judged = gate(found.summary(), limits.fail_if, limits.undecided)
    figures = found.summary() | command_figure(found.provenance)
    if out is not None:
        with whole_file(out) as part:
            part.write_text(encoding.dumps(figures, indent=1, allow_nan=False) + "\n")
    text, following = found.text(), next_step(found)[1]
    if report is not None:
        write_cover_report(found, report, gate=judged)
        text += f"\nReport: {report}"
    written = {} if report is None else {"report": str(report)}
    tell(figures | written, f"{text}\nNext: {following}" if following else text, json, judged)


def _check_files(
    profile: str | None, profile_limit: int | None, save_profile: Path | None, out: Path | None, report: Path | None
) -> None:
    """Refuse before any work what would be ignored or cannot be written."""
    from unnerve.core.storage.files import check_page, check_writable

    for name, value in (("save-profile", save_profile), ("profile-limit", profile_limit)):
        if value is not None and (profile is None or profile.endswith(".safetensors")):
            raise InvalidSetting(f"--{name} needs training data: --profile DATA")
    files = (
        (save_profile, ".safetensors", "a profile is"),
        (out, ".json", "figures are"),
    )
    for path, suffix, what in files:
        if path is not None and path.suffix != suffix:
            raise OutputRefused(f"{what} written as {suffix}, got '{path}'")
        if path is not None:
            check_writable(path)
    if report is not None:
        check_page(report)
