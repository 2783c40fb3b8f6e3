"""What NSATP prints in Tables III to V."""

from unnerve.papers._ranking.cells import METRICS
from unnerve.papers._ranking.tables import Printed, PrintedRow

__all__ = ["PRINTED"]

# For PD, PE and PV: a and b of Table III, r of Table IV, F-measures ranked and random of Table V. The headers of
# Tables III and IV are read as swapped: the steep curves belong to the network that random search finds hard, as in
# Tables V and VI.
_ROWS = {
    ("net1", "mnist"): (
        (0.27, 3.87, 0.99, 7.13, 144.82),
        (0.27, 3.81, 0.99, 5.47, 136.68),
        (0.27, 3.86, 0.99, 5.39, 135.00),
    ),
    ("net1", "fashion-mnist"): (
        (0.39, 3.18, 0.98, 4.91, 92.48),
        (0.38, 3.11, 0.98, 4.92, 93.27),
        (0.39, 3.16, 0.98, 4.87, 97.49),
    ),
    ("net1", "cifar10"): (
        (0.14, 3.87, 0.98, 20.43, 300.14),
        (0.14, 4.00, 0.97, 14.98, 323.44),
        (0.14, 3.95, 0.98, 15.01, 308.96),
    ),
    ("net1", "cifar100"): (
        (0.23, 1.56, 0.97, 8.30, 40.85),
        (0.24, 1.64, 0.97, 5.52, 42.32),
        (0.24, 1.61, 0.98, 5.30, 38.47),
    ),
    ("net2", "mnist"): (
        (0.49, 90.37, 0.97, 9.99, 908.52),
        (0.43, 74.28, 0.97, 10.51, 918.60),
        (0.47, 84.28, 0.97, 10.03, 900.90),
    ),
    ("net2", "fashion-mnist"): (
        (0.47, 13.27, 0.98, 1.83, 488.45),
        (0.42, 10.80, 0.98, 2.18, 490.23),
        (0.45, 12.31, 0.98, 1.94, 503.65),
    ),
    ("net2", "cifar10"): (
        (0.42, 20.76, 0.97, 1.94, 609.31),
        (0.22, 8.88, 0.97, 6.89, 606.19),
        (0.27, 11.46, 0.97, 4.26, 626.15),
    ),
    ("net2", "cifar100"): (
        (0.43, 8.52, 0.97, 1.54, 287.74),
        (0.31, 5.42, 0.97, 2.04, 287.07),
        (0.36, 6.53, 0.96, 1.58, 296.62),
    ),
}
PRINTED: Printed = {
    place: {metric: PrintedRow(*row) for metric, row in zip(METRICS, rows, strict=True)}
    for place, rows in _ROWS.items()
}
