"""KuK's Table 5 and Fig. 3 from finished trials, beside the printed figures."""

from collections.abc import Sequence

import numpy as np

from unnerve.papers.kuk.uncommon_trial import METHODS, UncommonResult
from unnerve.studies.intervals.proportion import proportion
from unnerve.studies.reproduction import Figure, Series, Table

__all__ = ["FOUND", "uncommon_figure", "uncommon_table"]

FOUND = {
    "lenet5": {"LL": (124, 18), "HH": (130, 46), "LH": (172, 0), "HL": (0, 1)},
    "nin": {"LL": (176, 22), "HH": (10, 184), "LH": (58, 0), "HL": (0, 165)},
    "resnet20": {"LL": (168, 32), "HH": (11, 181), "LH": (67, 0), "HL": (0, 93)},
    "mobilenet_v2": {"LL": (83, 5), "HH": (70, 11), "LH": (152, 0), "HL": (0, 74)},
}
"""Benign and adversarial inputs, of 200 seeds (Table 5)."""


def uncommon_table(results: Sequence[UncommonResult]) -> Table:
    """Return Table 5, with the gradient search beside KuK's."""
    rows = []
    for result in results:
        for pattern in result.run:
            cells = []
            for method in METHODS:
                one = result.found(pattern, method)
                share = proportion(one.total, result.seeds)
                means = f"{np.mean(one.pcs):.3f} / {np.mean(one.vro):.3f}" if one.total else "-"
                cells += [
                    f"{one.total - one.adversarial} + {one.adversarial}: {share.mean:.0%} [{share.low:.0%}, "
                    f"{share.high:.0%}]",
                    means,
                    f"{one.queries / result.seeds:,.0f}",
                ]
            benign, adversarial = FOUND[result.plan.trial.network][pattern]
            printed = f"{benign} + {adversarial} of 200: {(benign + adversarial) / 200:.1%}"
            rows.append((f"{result.title}, {pattern}", printed, str(result.seeds), *cells))
    columns = [
        name for method in METHODS for name in (f"{method}: benign + adversarial", "PCS / VRO", "queries a seed")
    ]
    return Table(
        "Table 5: seeds with an input of each pattern", ("network, pattern", "printed", "seeds", *columns), tuple(rows)
    )


def uncommon_figure(result: UncommonResult) -> Figure:
    """Return Fig. 3 of one network: where the inputs that KuK's search found lie."""
    # Differs: the paper also draws the best of the last generation where nothing was found; only findings are kept.
    series = []
    for pattern in result.run:
        one = result.found(pattern, METHODS[0])
        for wrong, kind in ((False, "benign"), (True, "adversarial")):
            rows = [row for row, said in enumerate(one.wrong) if said is wrong]
            if rows:
                pcs, vro = (tuple(values[row] for row in rows) for values in (one.pcs, one.vro))
                series.append(Series(f"{pattern}, {kind}", pcs, vro, "points"))
    title = f"Fig. 3, {result.title}: inputs that KuK's search found"
    return Figure(title, "confidence (PCS)", "uncertainty (VRO)", tuple(series))
