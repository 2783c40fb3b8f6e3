"""``unnerve map``: confidence and uncertainty of benign and adversarial inputs."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unnerve.cli._hunting import (
    AddressOption,
    EngineOption,
    HuntedInputsOption,
    RegionOption,
    ResumeOption,
    SecondsOption,
    ShardOption,
    engine_from,
    resumable,
)
from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    DrawsOption,
    DropoutOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NormaliseOption,
    OutputsOption,
    PlacesOption,
    SeedOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    dropout_from,
    model_from,
)
from unnerve.core.errors import InvalidSetting

if TYPE_CHECKING:
    from unnerve.studies.uncertainty import Thresholds

__all__ = ["map_verb"]


def map_verb(
    model: ModelArgument,
    data: DataArgument,
    attacks: Annotated[
        str, typer.Option(help="Hunters with their settings, separated by commas.")
    ] = "fgsm,bim,deepfool,pgd",
    region: RegionOption = None,
    inputs: HuntedInputsOption = 100,
    dropout: DropoutOption = None,
    dropout_places: PlacesOption = None,
    draws: DrawsOption = None,
    thresholds: Annotated[
        str, typer.Option(help="LOW,HIGH of PCS, then LOW,HIGH of VRO: what counts as L and H.")
    ] = "0.3,0.7,0.4,0.6",
    out: Annotated[str, typer.Option(help="Folder of the attacks' campaign and of the map.")] = "runs/map",
    no_html: Annotated[bool, typer.Option("--no-html", help="Write no report map.html beside the table.")] = False,
    resume: ResumeOption = False,
    seconds: SecondsOption = None,
    engine: EngineOption = "local",
    address: AddressOption = None,
    shard: ShardOption = 50,
    split: SplitOption = None,
    limit: LimitOption = None,
    weights: WeightsOption = None,
    normalise: NormaliseOption = None,
    outputs: OutputsOption = "auto",
    stored_range: StoredRangeOption = None,
    seed: SeedOption = 0,
    device: DeviceOption = None,
    workers: WorkersOption = None,
    json: JsonOption = False,
) -> None:
    """Map confidence (PCS) against uncertainty under dropout (VRO), benign inputs against attacks.

    Says which metric tells adversarial inputs from benign ones (AUC) and which pattern they fall into: LL, LH, HL,
    HH. Of every seed the smallest and the strongest finding of an attack are mapped, which differ much. The report
    map.html in the folder shows all of them in one plane.

    \b
    unnerve map zoo:lenet5 mnist5k --dropout vro=0.3 --region linf:0.3 --out runs/map
    unnerve map net.py:build npz:images.npz --attacks "pgd:steps=20,deepfool" --draws 100
    """
    import sys

    from unnerve.cli.show import bar, say, say_json
    from unnerve.core.specification import specifications
    from unnerve.report.map import write_map_report
    from unnerve.report.map_text import map_text
    from unnerve.studies.hunt import HuntSettings, RunSettings, run_campaign
    from unnerve.studies.map import try_draws, uncertainty_map

    limits = _thresholds(thresholds)
    named = specifications(attacks)
    running_on = engine_from(engine, address, workers)
    subject = model_from(model, weights, normalise, outputs, device)
    examples = data_from(data, split, limit, stored_range)
    count = 50 if draws is None else draws
    dropping = dropout_from(subject, examples, dropout, dropout_places, count, seed)
    try_draws(dropping, examples, count, seed)
    hunting = HuntSettings(region=region, inputs=inputs, seed=seed, shard=shard)
    with resumable(f"{len(named)} attacks") as progress:
        campaign = run_campaign(
            subject, examples, named, out, hunting, RunSettings(running_on, resume, seconds, progress)
        )
    with bar("drawing", "inputs") as progress_of_draws:
        found = uncertainty_map(
            dropping, campaign, draws=count, thresholds=limits, seed=seed, progress=progress_of_draws
        )
    table = Path(campaign.store.address) / "map.parquet" if campaign.store.is_local else Path("map.parquet")
    found.save(table)
    page = None if no_html else write_map_report(found, command=shlex.join(["unnerve", *sys.argv[1:]]))
    files = {"table": str(table), "report": None if page is None else str(page)}
    say_json(found.summary() | files) if json else say(map_text(found, table, page))


def _thresholds(text: str) -> "Thresholds":
    from unnerve.studies.uncertainty import Thresholds

    try:
        low, high, calm, shaky = (float(part) for part in text.split(","))
    except ValueError:
        raise InvalidSetting(f"--thresholds must be four numbers, such as 0.3,0.7,0.4,0.6, got '{text}'") from None
    return Thresholds(low, high, calm, shaky)
