"""KuK's Tables 6 and 7 from finished trials, beside the printed figures."""

from collections.abc import Sequence

from unnerve.papers.kuk.defence_trial import CLEAN, COMMON, UNCOMMON, DefenceCounts, DefenceResult
from unnerve.studies.intervals.interval import Interval
from unnerve.studies.reproduction import Table

__all__ = ["DEFENCES", "RETRAINED", "defence_table"]

DEFENCES = {
    "lenet5": {
        "activation_classifier": (0.986, 0.303),
        "mutation": (0.97, 0.390),
        "distillation": (0.985, 0.963),
        "label_smoothing": (0.981, 0.934),
        "squeezing": (0.973, 0.327),
    },
    "nin": {
        "activation_classifier": (0.944, 0.255),
        "mutation": (0.975, 0.055),
        "distillation": (0.93, 0.786),
        "label_smoothing": (0.936, 0.762),
        "squeezing": (0.905, 0.663),
    },
    "resnet20": {
        "activation_classifier": (0.958, 0.159),
        "mutation": (0.985, 0.101),
        "distillation": (0.913, 0.773),
        "label_smoothing": (0.921, 0.748),
        "squeezing": (0.881, 0.637),
    },
    "mobilenet_v2": {
        "mutation": (0.865, 0.549),
        "total_variation": (0.702, 0.660),
        "pixel_deflection": (0.782, 0.688),
    },
}
"""Success on common and on uncommon data (Tables 6 and 7); "input trans" is read as total variation."""

RETRAINED = ("distillation", "label_smoothing")
"""Those that train a new model."""


def defence_table(results: Sequence[DefenceResult], number: int) -> Table:
    """Return Table 6, or Table 7 for ImageNet."""
    rows = []
    for result in results:
        if result.table == number:
            rows += [_row(result, text) for text in result.plan.defences]
    columns = ("network, defence", "clean", "common (printed)", "uncommon (printed)", "uncommon and adversarial")
    return Table(f"Table {number}: success of defences with its interval", columns, tuple(rows))


def _row(result: DefenceResult, text: str) -> tuple[str, ...]:
    printed = DEFENCES[result.network].get(text.partition(":")[0])
    clean, common, uncommon = (result.counts(text, group) for group in (CLEAN, COMMON, UNCOMMON))
    only = None if uncommon is None else uncommon.adversarial_share
    return (
        f"{result.title}, {text}{_trained(result, text)}",
        _share(clean),
        *(
            f"{_share(one)} ({beside:.3f})" if one is not None and beside is not None else _share(one)
            for one, beside in zip((common, uncommon), printed or (None, None), strict=True)
        ),
        "-" if uncommon is None or only is None else _told(only, uncommon.adversarial),
    )


def _trained(result: DefenceResult, text: str) -> str:
    """Return on how much a model was trained anew; nothing if it was not, or if nobody knows."""
    known = text.startswith(RETRAINED) and result.training
    return f" (trained anew on {result.training:,} inputs)" if known else ""


def _share(counts: DefenceCounts | None) -> str:
    return "-" if counts is None else _told(counts.share, counts.inputs)


def _told(share: Interval, inputs: int) -> str:
    return f"{share.mean:.3f} [{share.low:.2f}, {share.high:.2f}] of {inputs}"
