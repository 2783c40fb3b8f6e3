"""KuK's Tables 3 and 4 and its plane of confidence and uncertainty, from finished maps, beside the printed figures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unnerve.papers.kuk.trial import EXTREMES
from unnerve.studies.reproduction import Figure, Series, Table
from unnerve.studies.uncertainty import METRICS

__all__ = [
    "TITLES",
    "Result",
    "auc_table",
    "benign_vro",
    "draws_figure",
    "mean_table",
    "pattern_table",
    "plane",
    "rows_of",
    "title",
]

Result = Mapping[str, Any]
TITLES = {"lenet5": "LeNet-5", "nin": "NIN", "resnet20": "ResNet-20", "mobilenet": "MobileNet"}
ATTACKS = {"bim": "BIM", "carlini_wagner": "C&W", "deepfool": "Deepfool", "fgsm": "FGSM"}

# Table 3, in per cent: PCS, VRO, VR, PE, MI.
_AUC = {
    "lenet5": (
        (99.98, 99.06, 90.72, 83.56, 81.52),
        (100.00, 99.08, 90.23, 82.86, 81.61),
        (99.44, 98.31, 93.47, 86.46, 84.78),
        (99.98, 98.74, 95.52, 90.09, 87.36),
    ),
    "nin": (
        (99.95, 99.46, 88.57, 86.73, 86.95),
        (99.90, 99.44, 87.93, 85.99, 86.48),
        (99.79, 99.18, 91.44, 88.64, 88.51),
        (99.43, 98.80, 93.97, 91.69, 91.54),
    ),
    "resnet20": (
        (99.97, 98.20, 86.74, 84.62, 85.10),
        (99.88, 98.28, 85.87, 83.93, 84.59),
        (99.80, 97.85, 88.02, 85.70, 86.23),
        (99.23, 97.28, 90.74, 88.25, 88.24),
    ),
    "mobilenet": (
        (99.95, 86.67, 84.25, 68.77, 68.37),
        (96.80, 84.49, 82.73, 67.80, 67.35),
        (79.36, 77.47, 77.13, 74.03, 72.32),
        (97.79, 87.93, 86.49, 72.75, 71.84),
    ),
}
# Table 4: means of PCS and VRO of benign inputs, then of each attack.
_MEANS = {
    "lenet5": ((0.990, 0.312), (0.018, 0.733), (0.002, 0.735), (0.186, 0.697), (0.012, 0.716)),
    "nin": ((0.953, 0.054), (0.007, 0.777), (0.013, 0.777), (0.027, 0.720), (0.083, 0.679)),
    "resnet20": ((0.945, 0.072), (0.005, 0.865), (0.016, 0.869), (0.023, 0.850), (0.096, 0.828)),
    "mobilenet": ((0.788, 0.337), (0.002, 0.679), (0.085, 0.652), (0.415, 0.596), (0.059, 0.696)),
}


def benign_vro(network: str) -> float:
    """Return the mean VRO of benign inputs that Table 4 prints."""
    return _MEANS[network][0][1]


def title(result: Result) -> str:
    """Return the network's name as the paper writes it."""
    return TITLES[result["plan"]["network"]]


def rows_of(results: Sequence[Result], extreme: str) -> Iterator[tuple[Result, int, str, Mapping[str, Any]]]:
    """Yield every network and attack that found something: (result, place in the paper's rows, attack, figures)."""
    for result in results:
        for place, attack in enumerate(ATTACKS):
            figures = result["attacks"].get(attack, {}).get(extreme)
            if figures is not None:
                yield result, place, attack, figures


def auc_table(results: Sequence[Result], extreme: str) -> Table:
    """Return Table 3."""
    rows = [
        (
            f"{title(result)}, {ATTACKS[attack]}",
            str(figures["count"]),
            *(
                f"{figures['auc'][metric][0]:.3f} ({_AUC[result['plan']['network']][place][column] / 100:.3f})"
                for column, metric in enumerate(METRICS)
            ),
        )
        for result, place, attack, figures in rows_of(results, extreme)
    ]
    return Table(
        f"Table 3: AUC-ROC, {extreme} change of each attack",
        ("network, attack", "inputs", *(metric.upper() for metric in METRICS)),
        tuple(rows),
    )


def mean_table(results: Sequence[Result], extreme: str) -> Table:
    """Return Table 4."""
    rows = []
    for result in results:
        printed = _MEANS[result["plan"]["network"]]
        groups = [("benign", printed[0], result["benign"])]
        groups += [
            (ATTACKS[attack], printed[place + 1], figures)
            for one, place, attack, figures in rows_of([result], extreme)
            if one is result
        ]
        for name, (pcs, vro), figures in groups:
            told = [f"{mean:.3f} / {variance:.2g}" for mean, variance in (figures["pcs"], figures["vro"])]
            rows.append((f"{title(result)}, {name}", f"{told[0]} ({pcs:.3f})", f"{told[1]} ({vro:.3f})"))
    return Table(
        f"Table 4: mean / variance, {extreme} change of each attack",
        ("network, group", "PCS", "VRO"),
        tuple(rows),
    )


def pattern_table(results: Sequence[Result]) -> Table:
    """Return the share of each pattern in every group."""
    rows = []
    for result in results:
        groups = [("benign", result["benign"])]
        groups += [
            (f"{ATTACKS[attack]}, {extreme}", figures)
            for extreme in EXTREMES
            for _, _, attack, figures in rows_of([result], extreme)
        ]
        for name, figures in groups:
            shares = [figures["patterns"][pattern] for pattern in ("LL", "LH", "HL", "HH")]
            between = 1 - sum(shares)
            rows.append((f"{title(result)}, {name}", *(f"{share:.0%}" for share in (*shares, between))))
    return Table(
        "Patterns (PCS, VRO) with thresholds 0.3 / 0.7 and 0.4 / 0.6",
        ("network, group", "LL", "LH", "HL", "HH", "between"),
        tuple(rows),
    )


def plane(result: Result, extreme: str) -> Figure:
    """Return where a network's inputs lie between confidence and uncertainty."""
    groups = {"benign": result["benign"]}
    groups |= {ATTACKS[attack]: figures for _, _, attack, figures in rows_of([result], extreme)}
    series = tuple(
        Series(name, tuple(figures["points"]["pcs"]), tuple(figures["points"]["vro"]), "points")
        for name, figures in groups.items()
    )
    return Figure(f"{title(result)}: {extreme} change of each attack", "confidence (PCS)", "uncertainty (VRO)", series)


def draws_figure(results: Sequence[Result]) -> Figure:
    """Return how the VRO of benign inputs settles."""
    series = []
    for result in results:
        means = sorted((int(draws), mean) for draws, mean in result["benign"]["vro_by_draws"].items())
        series.append(Series(title(result), tuple(float(d) for d, _ in means), tuple(mean for _, mean in means)))
    return Figure("Benign inputs: VRO over the number of draws", "draws T", "mean VRO", tuple(series))
