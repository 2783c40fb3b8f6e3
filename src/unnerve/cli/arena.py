"""``unnerve arena``: methods side by side."""

from typing import Annotated

import typer

from unnerve.cli._coverage import CoverageOption, CoverageRequest, ProfileOption
from unnerve.cli._hunting import (
    AddressOption,
    EngineOption,
    HuntedInputsOption,
    OracleOption,
    QuantisedOption,
    ReferenceOption,
    RegionOption,
    ResumeOption,
    SecondsOption,
    ShardOption,
    StopAtFirstOption,
    TargetOption,
    engine_from,
    reference_from,
    resumable,
    tell,
)
from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NeuronsOption,
    NormaliseOption,
    OutputsOption,
    SeedOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    model_from,
)

__all__ = ["arena"]


def arena(
    model: ModelArgument,
    data: DataArgument,
    methods: Annotated[
        str, typer.Option(help="Hunters with their settings, separated by commas.")
    ] = "random,pgd,guided",
    queries: Annotated[
        int, typer.Option(min=1, help="Per seed and method; one that ends earlier starts again.")
    ] = 1000,
    region: RegionOption = None,
    inputs: HuntedInputsOption = 100,
    out: Annotated[str, typer.Option(help="Folder of the campaign, or an address such as s3://...")] = "runs/arena",
    stop_at_first: StopAtFirstOption = False,
    quantised: QuantisedOption = False,
    oracle: OracleOption = None,
    target: TargetOption = None,
    neurons: NeuronsOption = None,
    reference: ReferenceOption = None,
    coverage: CoverageOption = None,
    profile: ProfileOption = None,
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
    """Put methods side by side: one region, one set of seeds, one budget of queries.

    Figures come with 95 % intervals, differences with a paired bootstrap over the seeds.

    \b
    unnerve arena zoo:lenet5 mnist5k --methods random,pgd,guided --queries 1000 --out runs/arena
    unnerve arena zoo:lenet5 mnist5k --methods "pgd:steps=10,pgd:steps=40" --region l2:1.5 --inputs 50
    unnerve arena zoo:lenet5 mnist5k --methods pgd,deepsensor --inputs 20 --coverage all --profile mnist5k
    """
    from unnerve.core.specification import specifications
    from unnerve.studies.arena import arena as compared

    named = specifications(methods)
    running_on = engine_from(engine, address, workers)
    subject = model_from(model, weights, normalise, outputs, device, neurons)
    examples = data_from(data, split, limit, stored_range)
    usual = reference_from(reference, stored_range)
    request = CoverageRequest(subject, coverage, profile, stored_range)
    with resumable(f"{len(named)} methods") as progress:
        campaign = compared(
            subject,
            examples,
            named,
            out,
            queries=queries,
            region=region,
            oracle=oracle,
            target=target,
            inputs=inputs,
            stop_at_first=stop_at_first,
            quantised=quantised,
            seed=seed,
            shard=shard,
            reference=usual,
            engine=running_on,
            resume=resume,
            seconds=seconds,
            progress=progress,
        )
    request.measure(campaign)
    tell(campaign, {"rows": campaign.rows()}, json)
