"""A process that imports everything once and forks a hunter for every line it reads: real processes, quickly made.

A line is an order in JSON: ``{"out": FOLDER, "resume": BOOL, "limit": BYTES or null, ...}``. What is printed is JSON,
too: ``{"pid": ...}`` when a hunter starts, ``{"pid": ..., "said": ...}`` when it has something to say,
``{"pid": ..., "code": ...}`` when it has ended (negative: the signal that ended it).
"""

import json
import os
import resource
import select
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

import unnerve
from unnerve.core.data.examples import Examples
from unnerve.core.errors import UserError
from unnerve.studies.hunt.hunt import hunt
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors


def subject() -> TorchModule:
    """Return a small network, always the same."""
    torch.manual_seed(8)
    dense = nn.Linear(96, 5)
    net = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), dense).eval()
    dense.weight.data.mul_(12)
    return TorchModule(net, "nursling", "logits")


def pictures(model: TorchModule) -> Examples:
    """Return 60 images that the network gets right."""
    raw = np.random.default_rng(4).integers(0, 256, (60, 1, 8, 8), dtype=np.uint8)
    return tensors(raw, model.observe(torch.from_numpy(raw).float().div(255)).predicted, name="pictures")


def tell(**news: Any) -> None:
    """Print a line, whole, though several processes print."""
    os.write(sys.stdout.fileno(), json.dumps(news).encode() + b"\n")


def hunted(model: TorchModule, data: Examples, order: dict[str, Any]) -> int:
    """Do what a line orders, and return the exit code."""
    limit = order.get("limit")
    if limit is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    method = order.get("method", "guided:search=pso(particles=10,iterations=8)")
    more = {"region": "linf:0.2", "inputs": order.get("inputs", 60), "shard": 5, "resume": order["resume"]}
    try:
        if order.get("verb") == "export":
            unnerve.export(order["campaign"], order["out"])
        elif order.get("verb") == "report":
            Path(order["out"]).mkdir(exist_ok=True)
            unnerve.report(order["campaign"], out=Path(order["out"], "report.html"))
        elif order.get("verb") == "map":
            unnerve.map(unnerve.with_dropout(model, 0.3), data, method, order["out"], draws=10, **more)
        else:
            hunt(model, data, method, order["out"], **more, **order.get("settings", {}))
    except UserError as problem:
        tell(pid=os.getpid(), said=str(problem))
        return 2
    return 0


def main() -> None:
    """Read orders until there are no more."""
    torch.set_num_threads(1)
    model = subject()
    data = pictures(model)
    tell(ready=True)
    unread = b""
    while True:
        if select.select([sys.stdin], [], [], 0.005)[0]:
            read = os.read(sys.stdin.fileno(), 65536)
            if not read:
                return
            *lines, unread = (unread + read).split(b"\n")
            for line in lines:
                child = os.fork()
                if child == 0:
                    os._exit(hunted(model, data, json.loads(line)))
                tell(pid=child)
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            continue
        if child:
            tell(pid=child, code=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
