"""DLFuzz: gradients towards neighbouring classes and chosen neurons, from a queue per seed (Guo et al., FSE 2018)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from unnerve.core.errors import InvalidSetting
from unnerve.core.findings import Candidates
from unnerve.core.model import Capability, Instrumented, Observation, Want, require
from unnerve.core.pools import Pool, PoolState
from unnerve.generate.fuzzers._corpus import Corpus
from unnerve.generate.fuzzers._neuron_choice import STRATEGIES, Activity, chosen_neurons
from unnerve.measure.coverages.nc import relative_activity

__all__ = ["DLFuzz"]

_QUEUE = ("inputs", "roots", "taken")


@dataclass(frozen=True)
class DLFuzz:
    r"""Change each image of a seed's queue so that other classes become likelier and chosen neurons more active.

    .. math:: w \sum_{i=1}^{k} f(x)_{c_i} - f(x)_{c_0} + w_n \sum_j \phi(n_j, x)

    Here :math:`c_0` is the answer to the image that was taken from the queue, :math:`c_1` to :math:`c_k` the next
    likely classes, and :math:`n_j` the chosen neurons. A changed image joins the queue if it raises coverage enough
    and still lies near the seed.

    Parameters
    ----------
    strategies : str
        How neurons are chosen, one or several of: ``0`` often activated, ``1`` rarely activated, ``2`` with large
        weights, ``3`` near the threshold, ``r`` never activated; ``02`` takes half of them by each.
    neurons : int
        Chosen for an image, >= 1; all of them where the network has fewer.
    classes : int
        k, >= 1.
    iterations : int
        Steps from an image of the queue, >= 1.
    length : float
        Of a step, as a share of the valid range, of a gradient whose root mean square is one, > 0.
    class_weight, neuron_weight : float
        w and w_n, >= 0.
    threshold : float
        Above which a neuron is activated, relative to its layer, in [0, 1).
    gain : float
        Coverage that an image must add to join the queue, divided by the number of the step, >= 0.
    distance : float
        How far it may lie from the seed, as a share of the seed's L2 norm, > 0. As in the release, one step of
        ``length`` leads a digit of MNIST farther than the default, so that its queue stays empty.

    References
    ----------
    Guo et al., "DLFuzz: Differential Fuzzing Testing of Deep Learning Systems", 2018.
    """

    strategies: str = "2"
    neurons: int = 10
    classes: int = 4
    iterations: int = 5
    length: float = 0.02
    class_weight: float = 0.5
    neuron_weight: float = 0.5
    threshold: float = 0.5
    gain: float = 0.01
    distance: float = 0.02
    needs = Capability.NEURONS | Capability.GRADIENTS
    endless = False
    regions = None
    small = ("r2,neurons=4,iterations=2,length=0.05", "0r,neurons=3", "13,neurons=4,distance=0.5,gain=0")

    def __post_init__(self) -> None:
        known = not set(self.strategies) - set(STRATEGIES)
        if not known or not self.strategies or len(set(self.strategies)) < len(self.strategies):
            raise InvalidSetting(f"strategies must be some of {', '.join(STRATEGIES)}, got '{self.strategies}'")
        for name in ("neurons", "classes", "iterations"):
            if getattr(self, name) < 1:
                raise InvalidSetting(f"{name} must be >= 1, got {getattr(self, name)}")
        for name in ("class_weight", "neuron_weight", "gain"):
            if not getattr(self, name) >= 0:
                raise InvalidSetting(f"{name} must be >= 0, got {getattr(self, name)}")
        for name in ("length", "distance"):
            if not getattr(self, name) > 0:
                raise InvalidSetting(f"{name} must be > 0, got {getattr(self, name)}")
        if not 0 <= self.threshold < 1:
            raise InvalidSetting(f"threshold must be in [0, 1), got {self.threshold}")

    def begin(self, pool: Pool) -> PoolState:
        """Return queues that hold the seeds."""
        require(pool.subject.model, self.needs, "dlfuzz")
        x, count = pool.seeds.batch.inputs, len(pool.seeds)
        queue = Corpus.begun(inputs=x, roots=torch.arange(count), taken=torch.zeros(count, dtype=torch.bool))
        classes = pool.seeds.clean.logits.shape[1]
        assert isinstance(pool.subject.model.model, Instrumented)
        neurons = len(pool.subject.model.model.neuron_map(x[:1]))
        queue.state.tensors |= {
            "x": x.clone(),
            "steps": torch.full((count,), self.iterations),  # as if an image had been left: the first is taken now
            "classes": torch.zeros((count, 1 + min(self.classes, classes - 1)), dtype=torch.int64),
            "neurons": torch.zeros((count, min(self.neurons, neurons)), dtype=torch.int64),
            "signs": torch.zeros((count, min(self.neurons, neurons)), dtype=torch.int64),
            "counts": torch.zeros(neurons, dtype=torch.int64),
        }
        return queue.state

    def step(self, pool: Pool, state: PoolState) -> Candidates | None:
        """Take a step from the current image of every seed whose queue is not empty."""
        # Differs: the release takes one seed after the other; all seeds take a step together here, and what one of them
        # activates is covered for all.
        rows = self._ready(pool, state)
        if len(rows) == 0:
            return None
        kept = state.tensors
        targets = torch.cat([kept["classes"][rows], kept["neurons"][rows], kept["signs"][rows]], dim=1)
        model, centre = pool.subject.model.of(rows), pool.seeds.batch.inputs[rows]
        _, gradient, _ = model.gradient(kept["x"][rows], self._objective, targets, Want.NEURONS)
        span = pool.seeds.span
        scale = gradient.flatten(1).square().mean(dim=1).sqrt().add_(1e-5 / span)
        gradient /= scale.view(-1, *[1] * (gradient.ndim - 1))
        # Differs: the release does not clip, and its queued images share memory with the one that goes on changing.
        x = pool.space.project(kept["x"][rows].add_(gradient, alpha=self.length * span), centre)
        kept["x"][rows] = x
        kept["steps"][rows] += 1
        self._enqueue(pool, state, rows, model.observe(x, Want.RANGES))
        return Candidates(x, rows, pool.step)

    def _objective(self, seen: Observation, targets: Tensor) -> Tensor:
        count = min(self.neurons, seen.neurons.shape[1])
        classes, neurons, signs = targets.split([targets.shape[1] - 2 * count, count, count], dim=1)
        logits = seen.logits.gather(1, classes)
        active = (seen.neurons.gather(1, neurons) * signs).sum(dim=1)
        likelier = self.class_weight * logits[:, 1:].sum(dim=1) - logits[:, 0]
        value: Tensor = likelier + self.neuron_weight * active
        return value

    def _ready(self, pool: Pool, state: PoolState) -> Tensor:
        """Give seeds that are done with an image the next of their queue; return the seeds that have one, int64."""
        kept, queue = state.tensors, Corpus(state, _QUEUE)
        waiting = (pool.wanted & (kept["steps"] >= self.iterations)).nonzero().flatten()
        first = _first_waiting(queue, waiting)
        waiting, first = waiting[first >= 0], first[first >= 0]
        if len(waiting):
            queue["taken"][first] = True
            kept["x"][waiting] = queue["inputs"][first]
            kept["steps"][waiting] = 0
            self._choose(pool, state, waiting)
        return (pool.wanted & (kept["steps"] < self.iterations)).nonzero().flatten()

    def _choose(self, pool: Pool, state: PoolState, rows: Tensor) -> None:
        """Choose classes and neurons for images that were just taken from a queue."""
        kept, model = state.tensors, pool.subject.model
        x = kept["x"][rows]
        seen, neurons = model.of(rows).observe(x, Want.RANGES), model.neuron_map(x[:1])
        order = seen.logits.cpu().argsort(dim=1, descending=True, stable=True)
        kept["classes"][rows] = order[:, : kept["classes"].shape[1]]
        hidden = torch.cat([torch.full((layer.count,), layer.hidden) for layer in neurons.layers])
        weights = model.incoming_weights(x[:1]) if "2" in self.strategies else torch.full((len(neurons),), torch.nan)
        relative = relative_activity(neurons, seen).cpu()
        # Differs: in the release what these images activate is not new to their descendants either; here it only
        # counts for the strategies, and a descendant adds to coverage what no other descendant has activated.
        taken = kept.get("taken_counts", torch.zeros_like(kept["counts"]))  # checkpoints of before have none
        kept["taken_counts"] = taken + (relative > self.threshold).sum(dim=0)
        activity = Activity(kept["counts"] + kept["taken_counts"], weights, relative, hidden, self.threshold)
        draws = pool.streams.uniform(pool.step, 0, (len(rows), len(self.strategies), len(neurons)))[0]
        kept["neurons"][rows], kept["signs"][rows] = chosen_neurons(
            self.strategies, activity, kept["neurons"].shape[1], draws
        )

    def _enqueue(self, pool: Pool, state: PoolState, rows: Tensor, seen: Observation) -> None:
        """Count the neurons that the changed images activate, and queue images that are new enough and near enough."""
        kept, centre = state.tensors, pool.seeds.batch.inputs[rows]
        neurons = pool.subject.model.neuron_map(centre[:1])
        active = relative_activity(neurons, seen).cpu() > self.threshold
        # Rows count as taken in one by one: what an earlier one activates is not new to a later one.
        before = torch.cat([torch.zeros_like(active[:1]), active[:-1]]).cumsum(dim=0) + kept["counts"] > 0
        share = (active & ~before).sum(dim=1) / max(1, len(neurons))
        kept["counts"] += active.sum(dim=0)
        x = kept["x"][rows]
        size = (centre - pool.seeds.batch.value_range[0]).flatten(1).norm(dim=1)  # how far the image is from black
        far = (x - centre).flatten(1).norm(dim=1) / size.clamp_min(1e-12)
        # Differs: the release divides the gain by the place of the seed among all seeds, so that it asks the less of an
        # image the later its seed comes; the paper does not say by what, and here it is the step.
        chosen = (share > self.gain / kept["steps"][rows]) & (far < self.distance)
        waiting = torch.zeros(int(chosen.sum()), dtype=torch.bool)
        Corpus(state, _QUEUE).append(inputs=x[chosen], roots=rows[chosen], taken=waiting)


def _first_waiting(queue: Corpus, rows: Tensor) -> Tensor:
    """Return the oldest entry of each seed, int64 (N,), that was not taken from the queue yet; -1 if there is none."""
    left = (~queue["taken"]).nonzero().flatten().flip(0)
    first = torch.full((int(rows.amax()) + 1 if len(rows) else 0,), -1)
    roots = queue["roots"][left]
    here = roots < len(first)
    # Written from the newest to the oldest, so that the oldest stays.
    for entry, root in zip(left[here].tolist(), roots[here].tolist(), strict=True):
        first[root] = entry
    return first[rows]
