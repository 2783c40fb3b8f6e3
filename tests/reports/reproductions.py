"""A reproduced paper made by hand."""

from math import nan

from unnerve.measure.curves.exponential_fit import ExponentialFit
from unnerve.studies.reproduction import Claim, Reproduction, Scatter, Table

__all__ = ["a_reproduction"]


def a_reproduction() -> Reproduction:
    no_fit = ExponentialFit(nan, nan, nan, points=0)
    return Reproduction(
        paper="someone",
        size="shortened: 10 inputs",
        claims=(
            Claim("it works", "always", "once", (0.25, 1.0), True, "held", "once is enough", "Table I", "it does"),
            Claim("a|b", "1", "2", None, False, "not held", "1 = 2", "beyond the papers", ""),
        ),
        tables=(Table("Table I: all", ("network", "PD"), (("net1", "3"),)),),
        cells=(),
        skipped=("MNIST: not there",),
        scatters=(Scatter("net1", "mnist", 10, (0.0, 0.5), {"pd": (0.1, 0.2)}, {"pd": no_fit}),),
    )
