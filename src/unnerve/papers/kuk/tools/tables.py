"""KuK's Table 2 and the last columns of Table 4 from finished trials, beside the printed figures."""

from collections.abc import Sequence

from unnerve.papers.kuk.printed import ATTACKS, MEANS
from unnerve.papers.kuk.tools.trial import Cloud, Made, ToolResult
from unnerve.studies.reproduction import Table

__all__ = ["found_table", "tool_mean_table"]

# Table 2, of 500 seeds.
_FOUND = {
    "lenet5": {"DH-KMNC": 2980, "DH-NC": 4607, "TensorFuzz": 1436},
    "nin": {"DH-KMNC": 5715, "DH-NC": 9110, "TensorFuzz": 3848},
    "resnet20": {"DH-KMNC": 6960, "DH-NC": 9249, "TensorFuzz": 2465},
}
# Table 4: means of PCS and VRO.
_MEANS = {
    "lenet5": {"DH-KMNC": (0.561, 0.631), "DH-NC": (0.592, 0.625), "TensorFuzz": (0.579, 0.630)},
    "nin": {"DH-KMNC": (0.571, 0.380), "DH-NC": (0.608, 0.352), "TensorFuzz": (0.384, 0.615)},
    "resnet20": {"DH-KMNC": (0.548, 0.398), "DH-NC": (0.574, 0.388), "TensorFuzz": (0.392, 0.457)},
}


def found_table(results: Sequence[ToolResult]) -> Table:
    """Return Table 2, and the same in one region with one budget."""
    rows = []
    for one in results:
        region = one.plan.trial.campaigns[0].region
        for name, made in one.equal.items():
            rows.append((f"{one.title}, {name}", region, *_made(made), "-"))
        for tool in one.plan.tools:
            printed = _FOUND[one.plan.trial.network][tool.title]
            text = f"{printed:,} of 500"
            rows.append((f"{one.title}, {tool.title}", tool.region, *_made(one.tools[tool.title]), text))
    columns = ("network, tool", "region", "seeds", "queries per seed", "inputs found", "seeds broken", "printed")
    # Ours keep one input of each iteration; the paper does not say that it does.
    title = "Table 2: adversarial inputs, at most one of each iteration; in one region first, then as published"
    return Table(title, columns, tuple(rows))


def _made(made: Made) -> tuple[str, ...]:
    share = made.share
    broken = f"{made.broken} ({share.low:.0%} to {share.high:.0%})"
    return str(made.seeds), f"{made.queries:,.0f}", f"{made.found:,}", broken


def tool_mean_table(results: Sequence[ToolResult]) -> Table:
    """Return what Table 4 says of tools, between benign inputs and attacks."""
    rows = []
    for one in results:
        network = one.plan.trial.network
        rows.append(_mean_row(f"{one.title}, benign", one.benign, MEANS[network][0]))
        for name, cloud in one.clouds.items():
            rows.append(_mean_row(f"{one.title}, {name}", cloud, _MEANS[network][name]))
        for place, (attack, title) in enumerate(ATTACKS.items(), start=1):
            if attack in one.attacks:
                rows.append(_mean_row(f"{one.title}, {title}", one.attacks[attack], MEANS[network][place]))
    title = "Table 2 / 4: means with their intervals over seeds (printed), tools beside the smallest changes of attacks"
    return Table(title, ("network, group", "inputs", "seeds", "PCS", "VRO"), tuple(rows))


def _mean_row(name: str, cloud: Cloud, printed: tuple[float, float]) -> tuple[str, ...]:
    texts = []
    for metric, value in zip(("pcs", "vro"), printed, strict=True):
        mean = cloud.mean(metric)
        own = "-" if mean is None else f"{mean.mean:.3f} [{max(0, mean.low):.2f}, {min(1, mean.high):.2f}]"
        texts.append(f"{own} ({value:.3f})")
    return (name, str(len(cloud.pcs)), str(len(set(cloud.seeds))), *texts)
