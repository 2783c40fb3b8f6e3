"""The experiments behind the two DeepSensor papers, on one network with one set of seeds and one region."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sklearn.manifold import TSNE
from sklearn.metrics import silhouette_score

from unnerve.core.catalogue import build
from unnerve.core.findings import Seeds
from unnerve.core.metering import Meter, Metered
from unnerve.core.model import Want
from unnerve.core.subject import Context, Subject
from unnerve.papers._parts import Part
from unnerve.papers.deepsensor.experiment import Experiment, Setup, last
from unnerve.studies._hunted_seeds import hunted_seeds
from unnerve.studies.cover import cover, profile
from unnerve.subjects.datasets.tensors import tensors

__all__ = ["EXPERIMENTS", "part_of"]

_COVERAGE = "nc,kmnc:sections=10000,nbc,snac,tknc,bknc"
_TOP = 10
_SHOWN = 150


def part_of(what: str, setup: Setup, data: Path, folder: Path) -> Part:
    """Return one of the experiments ``EXPERIMENTS`` as a part."""
    number = 0 if setup.recipe is None else setup.recipe.seed
    plan = {"experiment": what, **asdict(setup)}
    return Part(f"{what}-{setup.network}-{number}", plan, lambda: EXPERIMENTS[what](Experiment(setup, data, folder)))


def _errors(experiment: Experiment) -> dict[str, Any]:
    """Table 3 / II: errors and their categories, beside methods that are not the papers'."""
    size, steps = experiment.setup.particles, experiment.setup.iterations
    swarm = f"particles={size},iterations={steps}"
    methods = {
        "sensitive neurons": f"deepsensor:{swarm}",
        "sensitive neurons, to the letter": f"deepsensor:{swarm},start=random,scale=eq1,signed=yes",
        "excitable neurons": f"deepsensor-excitable:{swarm}",
        "margin": f"guided:search=pso({swarm})",
        "random noise": f"random:iterations={steps}",
        "PGD": f"pgd:steps={steps}",
        "tour (ours)": f"class_tour:steps={steps}",
    }
    batch = next(experiment.split("test").first(1000).batches())
    right = experiment.model.observe(batch.inputs).predicted == torch.as_tensor(batch.labels)
    return {"rows": experiment.rows("errors", methods), "accuracy": float(right.float().mean())}


def _sweeps(experiment: Experiment) -> dict[str, Any]:
    """Figures 5, 10 and 11: threshold (lambda), share that is enough (epsilon), start position."""
    swarm = f"particles={experiment.setup.particles},iterations={experiment.setup.iterations}"
    hunters = {"sensitive": f"deepsensor:{swarm}", "excitable": f"deepsensor-excitable:{swarm}"}
    swept: dict[str, dict[str, tuple[Any, ...]]] = {
        "threshold": {"sensitive": (0.1, 0.25, 0.5, 1.0, 1.5, 2.0), "excitable": (0.002, 0.01, 0.02, 0.05, 0.1, 0.5)},
        "enough": {"sensitive": (0.2, 0.4, 0.6, 0.8, 1.0), "excitable": (0.05, 0.1, 0.2, 0.4, 1.0)},
        "start": dict.fromkeys(hunters, ("fixed", "random", "edge")),
    }
    return {
        setting: {
            name: list(
                experiment.rows(f"{setting}-{name}", {str(x): f"{hunters[name]},{setting}={x}" for x in values}).items()
            )
            for name, values in by_hunter.items()
        }
        for setting, by_hunter in swept.items()
    }


def _optimisers(experiment: Experiment) -> dict[str, Any]:
    """Do errors depend on the optimiser? The second paper says they do not."""
    size, steps = experiment.setup.particles, experiment.setup.iterations
    searches = {
        "PSO": f"pso(particles={size},iterations={steps})",
        "genetic": f"genetic(population={size},iterations={steps})",
        "differential evolution": f"differential_evolution(population={size},iterations={steps})",
        "random": f"random(population={size},iterations={steps})",
    }
    objectives = {"sensitive": "sensitive_neurons", "excitable": "excitable_neurons", "margin": "margin"}
    methods = {
        f"{search}, {objective}": f"guided:search={searches[search]},objective={objectives[objective]}"
        for objective in objectives
        for search in searches
    }
    return {"rows": experiment.rows("optimisers", methods)}


def _fitness(experiment: Experiment) -> dict[str, Any]:
    """Figure 3 of the second paper: the share of reacting neurons over iterations."""
    swarm, curves = f"particles={experiment.setup.particles},iterations={experiment.setup.iterations}", {}
    objectives = {
        "sensitive": ("deepsensor", "sensitive_neurons"),
        "excitable": ("deepsensor-excitable", "excitable_neurons"),
    }
    for name, (hunter, objective) in objectives.items():
        batch = experiment.seeds.batch(range(len(experiment.seeds)))
        subject = Subject(Metered(experiment.model, Meter(len(batch))), Context(reference=experiment.reference))
        fitness = build("objective", objective).prepare(subject, Seeds.observed(experiment.model, batch))
        rows = torch.arange(len(batch))
        shares = [
            float(fitness(points.unsqueeze(1), rows).mean())
            for points in experiment.points(f"{hunter}:{swarm}", experiment.seeds, experiment.setup.region)
        ]
        curves[name] = [0.0, *shares]
    return {"curves": curves}


def _coverage(experiment: Experiment) -> dict[str, Any]:
    """Figure 3 of the first paper: what test inputs with an L2 change of at most 1 add to the seeds' coverage."""
    swarm = f"particles={experiment.setup.particles},iterations={experiment.setup.iterations}"
    methods = {
        "sensitive": f"deepsensor:{swarm}",
        "excitable": f"deepsensor-excitable:{swarm}",
        "random noise": "gaussian:iterations=1",
    }
    request = profile(experiment.model, experiment.split("train").first(10_000))
    gains: dict[str, Any] = {}
    for name, method in methods.items():
        made = tensors(last(experiment.points(method, experiment.seeds, "l2:1")).clone(), name=name)
        covered = cover(experiment.model, experiment.seeds, request, _COVERAGE, also=made)
        gains["seeds"] = covered.values
        gains[name] = covered.gain(covered.additions[0])
    return {"coverage": gains}


def _overlap(experiment: Experiment) -> dict[str, Any]:
    """Figure 7: how many of the ten most excitable neurons two methods share, on average over seeds."""
    swarm = f"particles={experiment.setup.particles},iterations={experiment.setup.iterations}"
    methods = {
        "PGD": f"pgd:steps={experiment.setup.iterations}",
        "JSMA": "jsma",
        "DeepFool": "deepfool",
        "DeepSensor": f"deepsensor-excitable:{swarm}",
    }
    ends = [
        last(experiment.points(method, experiment.seeds, experiment.setup.region)).clone()
        for method in methods.values()
    ]
    values = experiment.reactions(build("reaction", "path"), experiment.seeds, torch.stack(ends, dim=1))
    top = torch.zeros_like(values, dtype=torch.bool).scatter(2, values.topk(_TOP, dim=2).indices, value=True)
    shared = torch.einsum("npu,nqu->pq", top.double(), top.double()) / len(top)
    # What chance would give, if every ten neurons were equally likely.
    return {"methods": list(methods), "shared": shared.tolist(), "chance": _TOP**2 / values.shape[2]}


def _observation(experiment: Experiment) -> dict[str, Any]:
    """Figure 1: reacting neurons of a class-9 seed with noise and of its corner case, and where they lie."""
    test = experiment.split("test")
    labels = test.label_array()
    assert labels is not None
    nines = hunted_seeds(experiment.model, test.take(np.flatnonzero(labels == 9).tolist()), 500)[0]
    corner = last(experiment.points("pgd:steps=20", nines, experiment.setup.region)).clone()
    noisy = last(experiment.points("random:iterations=1", nines, experiment.setup.region)).clone()
    wrong = experiment.model.observe(corner).predicted != 9
    right = experiment.model.observe(noisy).predicted == 9
    pairs = torch.stack([noisy, corner], dim=1)
    kept = (wrong & right).nonzero().flatten()
    counts = {}
    for name, reaction, limit in (("sensitive", "sensitivity", 0.5), ("excitable", "path", 0.02)):
        values = experiment.reactions(build("reaction", reaction), nines, pairs)[kept]
        counts[name] = (values > limit).sum(dim=2).tolist()
    ones = test.take(np.flatnonzero(labels == 1)[:_SHOWN].tolist())
    groups = [next(some.batches()).inputs for some in (ones, nines.first(_SHOWN))] + [corner[kept[:_SHOWN]]]
    values = torch.cat([experiment.model.observe(group, Want.NEURONS).neurons for group in groups])
    which = np.repeat(["class 1", "class 9", "corner cases"], [len(group) for group in groups])
    plane = TSNE(random_state=experiment.setup.seed, init="pca").fit_transform(values.numpy())
    return {
        "pairs": len(kept),
        "counts": counts,
        "plane": {name: plane[which == name].round(2).tolist() for name in dict.fromkeys(which)},
        "silhouette": float(silhouette_score(plane, which)),
    }


EXPERIMENTS: dict[str, Callable[[Experiment], dict[str, Any]]] = {
    "errors": _errors,
    "observation": _observation,
    "fitness": _fitness,
    "coverage": _coverage,
    "sweeps": _sweeps,
    "optimisers": _optimisers,
    "overlap": _overlap,
}
