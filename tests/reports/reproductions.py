"""A reproduced paper made by hand."""

from unnerve.studies.reproduction import Claim, Reproduction, Table

__all__ = ["a_reproduction"]


def a_reproduction() -> Reproduction:
    return Reproduction(
        paper="someone",
        size="shortened: 10 inputs",
        claims=(Claim("it works", "always", "once", (0.25, 1.0), True), Claim("a|b", "1", "2", None, False)),
        tables=(Table("Table I: all", ("network", "PD"), (("net1", "3"),)),),
        cells=(
            {
                "plan": {"network": "net1", "data": "mnist", "trial": {"tries": 10}},
                "proof": {"scores": {"pd": {"fit": {"a": None, "b": None, "r": None}}}},
                "eff": [0.0, 0.5],
                "scores": {"pd": [0.1, 0.2]},
            },
        ),
        skipped=("MNIST: not there",),
    )
