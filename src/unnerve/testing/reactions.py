"""What is asked of every reaction."""

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from unnerve.core.findings import Seeds
from unnerve.core.methods import Reaction
from unnerve.core.model import Capability, Observation
from unnerve.core.naming.catalogue import build, describe
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.promises import about, promise, promise_json, random_state_stays
from unnerve.testing.scene import Scene, scene, small_images, tiny_net

__all__ = ["check_reaction"]

_ROWS = [3, 8, 20, 30]


@dataclass(frozen=True, eq=False)
class _Case:
    """Three changes of each of four seeds: none, a small one, and another image."""

    reaction: Reaction
    net: nn.Module
    changed: Tensor

    @property
    def model(self) -> TorchModule:
        return TorchModule(self.net, "tiny")

    def given(self, rows: list[int]) -> Scene:
        return scene(rows, self.model)


def check_reaction(reaction: Reaction | str) -> None:
    """Raise an AssertionError that says what a reaction promises and does not keep.

    Parameters
    ----------
    reaction : Reaction or str
        With its settings.

    Examples
    --------
    >>> from unnerve.testing.reactions import check_reaction
    >>> check_reaction("sensitivity")
    """
    method: Reaction = build("reaction", reaction)
    images = small_images()
    seeds = images[_ROWS]
    changed = torch.stack([seeds, (seeds + 0.1).clamp(max=1), images[[5, 6, 7, 9]]], dim=1)
    with about(str(describe(method)["name"])):
        promise(Capability.NEURONS in method.needs, f"needs must have NEURONS, got {method.needs}")
        for check in _CHECKS:
            check(_Case(method, tiny_net(), changed.clone()))
        promise_json("reaction", method)


def _one_number_for_each_neuron(case: _Case) -> None:
    found, wanted = _reacted(case, case.given(_ROWS)), (4, 3, _neurons(case))
    promise(found.shape == wanted, f"it must return (A, P, U), {wanted}, got {tuple(found.shape)}")
    promise(found.dtype == torch.float32, f"it must return float32, got {found.dtype}")
    promise(found.isfinite().all(), "reactions must be finite")
    promise((found[:, 1:] != 0).any(dim=-1).all(), "some neuron must react to every change")
    promise((found[:, 0] == 0).all(), "no neuron must react if nothing is changed")


def _the_same_alone_and_in_company(case: _Case) -> None:
    together = _reacted(case, case.given(_ROWS))
    for place, row in enumerate(_ROWS):
        alone = case.reaction.prepare(*case.given([row]))(case.changed[place : place + 1], torch.arange(1))
        promise(torch.equal(alone[0], together[place]), "reactions must be the same alone and in company")
    react = case.reaction.prepare(*case.given(_ROWS))
    some = react(case.changed[[2, 0], 1:2], torch.tensor([2, 0]))
    promise(torch.equal(some, together[[2, 0], 1:2]), "some rows in another order must react as all do")


def _costs_what_it_says(case: _Case) -> None:
    subject, seeds, streams = case.given(_ROWS)
    react = case.reaction.prepare(subject, seeds, streams)
    before, each = subject.model.meter.spent.clone(), case.reaction.cost(_neurons(case))
    promise((before > 1).all(), "looking at a seed must cost a query at least")
    promise((before <= 1 + each).all(), "a seed must cost no more than what is changed")
    react(case.changed[[1, 3]], torch.tensor([1, 3]))
    spent = (subject.model.meter.spent - before).tolist()
    wanted = [0, 3 * each, 0, 3 * each]
    promise(spent == wanted, f"three changes of two seeds must cost {wanted} by cost(), but cost {spent}")


def _the_module_and_the_inputs_are_left_as_they_were(case: _Case) -> None:
    net, before = case.net, case.changed.clone()
    weights = {name: tensor.clone() for name, tensor in net.state_dict().items()}
    given = case.given(_ROWS)
    net.train()
    with random_state_stays():
        _reacted(case, given)
    promise(all(part.training for part in net.modules()), "train mode must be left as it was")
    # A hook that stays slows every later pass, and keeps its tensors.
    promise(not any(part._forward_hooks for part in net.modules()), "no hook must stay on the module")
    promise(all(one.grad is None for one in net.parameters()), "parameters must get no gradient")
    promise(all(one.requires_grad for one in net.parameters()), "requires_grad must be left as it was")
    same = all(torch.equal(tensor, weights[name]) for name, tensor in net.state_dict().items())
    promise(same, "weights must be left as they were")
    promise(torch.equal(case.changed, before), "the changed inputs must be left as they were")


def _works_without_labels(case: _Case) -> None:
    subject, seeds, streams = case.given(_ROWS)
    answers = replace(seeds.batch, labels=seeds.clean.predicted)
    bare = Seeds(replace(seeds.batch, labels=None), Observation(seeds.clean.logits))
    found = _reacted(case, (subject, bare, streams))
    labelled = _reacted(case, (subject, Seeds(answers, seeds.clean), streams))
    promise(torch.equal(found, labelled), "without labels the clean answers must stand for them")


_CHECKS = (
    _one_number_for_each_neuron,
    _the_same_alone_and_in_company,
    _costs_what_it_says,
    _the_module_and_the_inputs_are_left_as_they_were,
    _works_without_labels,
)


def _reacted(case: _Case, given: Scene) -> Tensor:
    return case.reaction.prepare(*given)(case.changed, torch.arange(len(case.changed)))


def _neurons(case: _Case) -> int:
    neurons = case.model.neuron_map(case.changed[0])
    return len(neurons.hidden if case.reaction.hidden else neurons)
