"""``unnerve rank``: which inputs to try first."""

from pathlib import Path
from typing import Annotated

import typer

from unnerve.cli.options import (
    DataArgument,
    DeviceOption,
    JsonOption,
    LimitOption,
    ModelArgument,
    NormaliseOption,
    OutputsOption,
    SeedOption,
    SplitOption,
    StoredRangeOption,
    WeightsOption,
    WorkersOption,
    data_from,
    model_from,
    use_workers,
)

__all__ = ["rank"]


def rank(
    model: ModelArgument,
    data: DataArgument,
    score: Annotated[
        str, typer.Option(help="pd, pv, pe, gini, margin, max_probability, random; several with commas.")
    ] = "pd",
    out: Annotated[Path | None, typer.Option(help="The order as .csv or .parquet; ./ranking.csv by default.")] = None,
    inputs: Annotated[
        int | None, typer.Option(help="Rank the first N; with --evaluate, try N random ones (1000).")
    ] = None,
    evaluate: Annotated[
        bool, typer.Option("--evaluate", help="Prove the order: Eff, F-measure, Inc, APFD, fits.")
    ] = False,
    tries: Annotated[int, typer.Option(help="With --evaluate: perturbed copies per input.")] = 100,
    repeats: Annotated[int, typer.Option(help="With --evaluate: independent F-measure runs.")] = 10,
    perturbation: Annotated[str, typer.Option(help="With --evaluate: patch, patch:colour=invert ...")] = "patch",
    report: Annotated[
        Path | None, typer.Option(help="With --evaluate: the HTML report; ./ranking.html by default.")
    ] = None,
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
    """Order inputs by how easily each will be turned into an error, most suspect first.

    Black-box: one forward pass per input. With --evaluate the order is put to the proof against random order.

    \b
    unnerve rank zoo:lenet5 mnist5k --score pd --out ranking.csv
    unnerve rank zoo:lenet5 mnist5k --evaluate --report ranking.html
    unnerve rank net.py:build npz:images.npz --normalise 0.13/0.31 --json
    """
    import sys

    from unnerve.cli.show import bar, say, say_json
    from unnerve.report.html import ranking_html, writable_page, write_html
    from unnerve.report.text import ranking_text
    from unnerve.studies.evaluate_ranking import YARDSTICKS, evaluate_ranking
    from unnerve.studies.rank import rank as ranked
    from unnerve.studies.rank import writable_table
    from unnerve.studies.ranking_proof import Protocol

    use_workers(workers)
    asked = [name.strip() for name in score.split(",") if name.strip()]
    table = writable_table(out or Path("ranking.csv"))
    page = writable_page(report or Path("ranking.html")) if evaluate else None
    protocol = Protocol(inputs or 1000, tries, repeats, perturbation, seed)
    subject = model_from(model, weights, normalise, outputs, device)
    examples = data_from(data, split, limit, stored_range)
    with bar("ranking", "inputs") as progress:
        first = ranked(
            subject, examples if evaluate else examples.first(inputs), asked[0], seed=seed, progress=progress
        )
    result = {"score": first.score, "count": len(first), "out": str(table), "seconds": first.seconds}
    if page is None:
        first.save(table)
        say_json(result) if json else say(f"{len(first)} inputs by {first.score}, most suspect first: {table}")
        return
    with bar("trying", "inputs") as progress:
        names = list(dict.fromkeys([*asked, *YARDSTICKS]))
        proof = evaluate_ranking(subject, examples, names, protocol, progress=progress)
    first.save(table)
    write_html(page, ranking_html(proof, ["unnerve", *sys.argv[1:]]))
    say_json(proof.summary() | result | {"report": str(page)}) if json else say(ranking_text(proof, page))
