"""``unnerve hunt``: find inputs that fail, prove them, keep them."""

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

__all__ = ["hunt"]


def hunt(
    model: ModelArgument,
    data: DataArgument,
    method: Annotated[str, typer.Option(help="A hunter with its settings; unnerve methods lists them.")] = "pgd",
    region: RegionOption = None,
    inputs: HuntedInputsOption = 100,
    out: Annotated[str, typer.Option(help="Folder of the campaign, or an address such as s3://...")] = "runs/hunt",
    queries: Annotated[int | None, typer.Option(min=1, help="Most queries per seed; the method's own end.")] = None,
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
    """Find inputs that fail, and keep the proven ones.

    Every finding was run again from its stored bytes, is still wrong and still inside the region. A run that was
    stopped or killed goes on with --resume and ends with the same findings.

    \b
    unnerve hunt zoo:lenet5 mnist5k --region linf:0.1 --inputs 1000 --out runs/a
    unnerve hunt net.py:build npz:images.npz --method guided --queries 2000 --out runs/b
    unnerve hunt zoo:lenet5 mnist5k --method deepsensor --neurons conv_dense --out runs/d
    unnerve hunt zoo:lenet5 mnist5k --engine ray --workers 2 --out runs/c --resume
    """
    from unnerve.studies.hunt import hunt as hunted

    running_on = engine_from(engine, address, workers)
    subject = model_from(model, weights, normalise, outputs, device, neurons)
    examples = data_from(data, split, limit, stored_range)
    usual = reference_from(reference, stored_range)
    request = CoverageRequest(subject, coverage, profile, stored_range)
    with resumable(f"hunting with {method.partition(':')[0]}") as progress:
        campaign = hunted(
            subject,
            examples,
            method,
            out,
            region=region,
            oracle=oracle,
            target=target,
            inputs=inputs,
            queries=queries,
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
    tell(campaign, campaign.summary(), json)
