"""The same plan gives the same findings as in earlier versions, method by method."""

import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import torch

from unnerve.studies.hunt.arena import arena
from unnerve.studies.hunt.hunt import hunt

STORED = Path(__file__).with_name("same_findings.json")
SETTINGS = {
    "arena": ("pgd:steps=3 random:iterations=5 tour:steps=4", "linf:0.15"),
    "apgd": ("apgd:steps=8", "linf:0.15"),
    "bim": ("bim:steps=8", "linf:0.15"),
    "carlini_wagner": ("carlini_wagner:steps=15,searches=2,constant=1,step=0.05", "l2:3"),
    "deepfool": ("deepfool:steps=10", "l2:3"),
    "deepsensor": ("deepsensor:particles=8,iterations=4", "linf:0.3"),
    "deepsensor_excitable": ("deepsensor_excitable:particles=6,iterations=4", "linf:0.3"),
    "differential_evolution": ("guided:search=differential_evolution(population=8,iterations=5)", "linf:1"),
    "fgsm": ("fgsm", "linf:0.2"),
    "gaussian": ("gaussian:deviation=0.7,iterations=20", "linf:1"),
    "genetic": ("guided:search=genetic(population=8,iterations=5,mutation=0.05)", "linf:1"),
    "jsma": ("jsma", "l0:0.1"),
    "margin": ("guided:search=pso(particles=8,iterations=6)", "linf:0.3"),
    "patch": ("guided:search=pso(particles=30,iterations=20),encoding=patch", "linf:1"),
    "pgd": ("pgd:steps=8", "linf:0.15"),
    "random": ("random:iterations=20", "linf:1"),
    "square": ("square:iterations=20", "linf:0.4"),
    "class_tour": ("tour:steps=8", "linf:0.2"),
}
"""Name of the case -> the method with small settings, and the region."""


def found(name: str, folder: Path) -> dict[str, Any]:
    """Hunt from a few seeds; return the ids of what was found, which hash the very bytes, and the counts."""
    method, region = SETTINGS[name]
    settings: dict[str, Any] = {"region": region, "inputs": 8, "shard": 5}
    if name == "arena":
        result = arena("zoo:lenet5", "mnist5k", method.split(" "), str(folder / name), queries=40, **settings)
    else:
        result = hunt("zoo:lenet5", "mnist5k", method, str(folder / name), **settings)
    table = result.findings
    counted = {
        key: sum(row[key] for row in result.rows())
        for key in ("errors", "error_categories", "seeds_broken", "errors_as_in_paper", "queries")
    }
    return {**counted, "ids": sorted(table["id"].to_pylist()), "after": sorted(table["after"].to_pylist())}


def machine() -> dict[str, str]:
    """Return what decides the last bits: findings are promised to be the same on machines that agree in this."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    maker = next((line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id")), "unknown")
    kernels = torch.backends.cpu.get_cpu_capability()
    # torch tells its own kernels only; oneDNN's convolutions can be held to older instructions by themselves.
    limit = os.environ.get("ONEDNN_MAX_CPU_ISA", "none")
    return {"torch": str(torch.__version__), "kernels": kernels, "onednn_limit": limit, "maker": maker}


def test_the_same_findings_as_before() -> None:
    """In a process of its own: torch chooses its kernels once, and newer processors would choose others."""
    held = {"ATEN_CPU_CAPABILITY": "avx2", "ONEDNN_MAX_CPU_ISA": "AVX2", **os.environ}
    made = subprocess.run([sys.executable, __file__], env=held, check=True, capture_output=True, text=True)
    stored, here = json.loads(STORED.read_text()), json.loads(made.stdout)
    pairs = {name: (here["cases"][name], stored["cases"][name]) for name in SETTINGS}
    if here["machine"] == stored["machine"]:
        assert not [name for name, (now, before) in pairs.items() if now != before]
    # Elsewhere the last bits differ, and with them now and then what a long search finds.
    for name, (now, before) in pairs.items():
        assert abs(now["seeds_broken"] - before["seeds_broken"]) <= 1, name
        assert abs(now["queries"] - before["queries"]) <= 0.1 * before["queries"], name


if __name__ == "__main__":  # with the two variables of the test, its output is what same_findings.json holds
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = {name: found(name, Path(folder)) for name in SETTINGS}
    sys.stdout.write(json.dumps({"machine": machine(), "cases": cases}, indent=1) + "\n")
