"""``unnerve cover``: how much of a network a set of inputs exercises."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unnerve.cli._coverage import is_profile, profile_from
from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NeuronsOption,
    NormaliseOption,
    OutputsOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    model_from,
    use_workers,
)
from unnerve.core.errors import InvalidSetting, OutputRefused

if TYPE_CHECKING:
    from unnerve.core.examples import Examples
    from unnerve.studies.campaign import Campaign

__all__ = ["cover"]


def cover(
    model: ModelArgument,
    data: DataArgument,
    profile: Annotated[
        str | None,
        typer.Option(metavar="DATA", help="Training data (its train split), or a file of --save-profile."),
    ] = None,
    criteria: Annotated[
        str, typer.Option(help="all, or some of nc, kmnc, nbc, snac, tknc, bknc, tknp with their settings.")
    ] = "all",
    also: Annotated[
        str | None, typer.Option(metavar="DATA", help="Further inputs, or the folder of a campaign: what do they add?")
    ] = None,
    inputs: Annotated[int | None, typer.Option(min=1, help="Measure the first N inputs.")] = None,
    profile_limit: Annotated[int | None, typer.Option(min=1, help="Make the profile from the first N inputs.")] = None,
    save_profile: Annotated[Path | None, typer.Option(help="Keep the profile, as .safetensors.")] = None,
    out: Annotated[Path | None, typer.Option(help="The figures as a .json file.")] = None,
    neurons: NeuronsOption = None,
    split: SplitOption = None,
    limit: LimitOption = None,
    weights: WeightsOption = None,
    normalise: NormaliseOption = None,
    outputs: OutputsOption = "auto",
    stored_range: StoredRangeOption = None,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Measure how much of a network a set of inputs exercises.

    All criteria share one pass. kmnc, nbc and snac compare with what the neurons did on training data (--profile).

    \b
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k
    unnerve cover zoo:lenet5 mnist5k --split test --profile mnist5k --criteria nc:0.5,kmnc:sections=10000
    unnerve cover zoo:lenet5 mnist5k --split test --profile lenet5.safetensors --also runs/hunt --json
    """
    import json as text

    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.files import whole_file
    from unnerve.studies.cover import cover as covered
    from unnerve.studies.cover import criteria_named

    use_workers(workers)
    _check_files(profile, profile_limit, save_profile, out)
    asked = list(criteria_named(criteria).values())
    subject = model_from(model, weights, normalise, outputs, device, neurons)
    examples = data_from(data, split, limit, stored_range).first(inputs)
    more = None if also is None else _further(also, stored_range)
    bounds = None if profile is None else profile_from(subject, profile, profile_limit, stored_range)
    if bounds is not None and save_profile is not None:
        bounds.save(save_profile)
    with bar("covering", "inputs") as progress:
        found = covered(subject, examples, bounds, asked, also=more, progress=progress)
    if out is not None:
        with whole_file(out) as part:
            part.write_text(text.dumps(found.summary(), indent=1, allow_nan=False) + "\n")
    say_json(found.summary()) if json else say(found.text())


def _check_files(profile: str | None, profile_limit: int | None, save_profile: Path | None, out: Path | None) -> None:
    """Refuse before any work what would be ignored or cannot be written."""
    from unnerve.core.files import check_writable

    for name, value in (("save-profile", save_profile), ("profile-limit", profile_limit)):
        if value is not None and (profile is None or is_profile(profile)):
            raise InvalidSetting(f"--{name} needs training data: --profile DATA")
    for path, suffix, what in ((save_profile, ".safetensors", "a profile is"), (out, ".json", "figures are")):
        if path is not None and path.suffix != suffix:
            raise OutputRefused(f"{what} written as {suffix}, got '{path}'")
        if path is not None:
            check_writable(path)


def _further(source: str, stored_range: str | None) -> "Examples | Campaign":
    from unnerve.studies.campaign import Campaign

    if "://" in source or (Path(source) / "campaign.json").is_file():
        return Campaign.at(source)
    return data_from(source, None, None, stored_range)
