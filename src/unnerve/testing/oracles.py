"""What is asked of every oracle."""

from dataclasses import dataclass, replace

import torch

from unnerve.core.findings import Candidates, Seeds
from unnerve.core.judge import judge
from unnerve.core.methods import Oracle
from unnerve.core.model import Capability, Classifier
from unnerve.core.naming.catalogue import build, describe
from unnerve.core.subject import Context, Subject
from unnerve.generate.regions.linf import Linf
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.promises import about, promise, promise_json, random_state_stays
from unnerve.testing.scene import small_data, small_images, tiny_model, tiny_net

__all__ = ["check_oracle"]


@dataclass(frozen=True, eq=False)
class _Case:
    """Forty images as candidates, four of each of ten seeds."""

    oracle: Oracle
    subject: Subject[Classifier]
    seeds: Seeds
    candidates: Candidates


def check_oracle(oracle: Oracle | str) -> None:
    """Raise an AssertionError that says what an oracle promises and does not keep.

    Parameters
    ----------
    oracle : Oracle or str
        With its settings; of the tiny network's answers to small images it must accept some, but not all.

    Examples
    --------
    >>> from unnerve.testing.oracles import check_oracle
    >>> check_oracle("becomes:1")
    """
    method: Oracle = build("oracle", oracle)
    with about(str(describe(method)["name"])):
        for check in _CHECKS:
            model = tiny_model()
            seeds = Seeds.observed(model, small_data().batch(range(10)))
            subject = Subject(model, Context(peers=(TorchModule(tiny_net(9), "peer"),)))
            check(_Case(method, subject, seeds, Candidates(small_images(), torch.arange(40) % 10, step=2)))
        promise_json("oracle", method)


def _a_verdict_on_every_candidate(case: _Case) -> None:
    verdict = case.oracle(case.subject, case.seeds, case.candidates)
    for name, numbers in {"accepted": verdict.accepted, "margin": verdict.margin, **verdict.evidence}.items():
        promise(numbers.shape == (40,), f"{name} must have one value for each of 40 candidates")
    promise(verdict.accepted.dtype == torch.bool, f"accepted must be bool, got {verdict.accepted.dtype}")
    promise(verdict.accepted.any(), "some of the candidates must be accepted")
    promise(not verdict.accepted.all(), "not all of the candidates must be accepted")
    promise(torch.isfinite(verdict.margin).all(), "margins must be finite")
    promise((verdict.margin[verdict.accepted] >= 0).all(), "what is accepted must have a margin >= 0")
    logits = case.subject.model.observe(case.candidates.inputs).logits
    promise(torch.equal(verdict.observation.logits, logits), "the verdict must hold the model's answers to the inputs")


def _the_same_alone_and_in_company(case: _Case) -> None:
    together = case.oracle(case.subject, case.seeds, case.candidates)
    for row in range(0, 40, 7):
        part = slice(row, row + 1)
        one = replace(case.candidates, inputs=case.candidates.inputs[part], seed_index=case.candidates.seed_index[part])
        alone = case.oracle(case.subject, case.seeds, one)
        same = torch.equal(alone.accepted[0], together.accepted[row])
        promise(same, "a candidate must be accepted alone if it is in company, and only then")
        promise(torch.equal(alone.margin[0], together.margin[row]), "margins must be the same alone and in company")


def _leaves_everything_alone(case: _Case) -> None:
    seen = case.seeds.batch.inputs, case.candidates.inputs, case.seeds.clean.logits
    before = [tensor.clone() for tensor in seen]
    with random_state_stays():
        case.oracle(case.subject, case.seeds, case.candidates)
    for name, old, new in zip(("the seeds", "the candidates", "the clean answers"), before, seen, strict=True):
        promise(torch.equal(old, new), f"{name} must be left as they were")


def _the_judge_finds_only_what_it_accepts(case: _Case) -> None:
    verdict = case.oracle(case.subject, case.seeds, case.candidates)
    findings = judge(case.subject, case.seeds, case.candidates, case.oracle, Linf(1.0))
    clear = (verdict.accepted & (verdict.margin >= 1e-4)).nonzero().flatten().tolist()
    promise([row for row, _ in findings] == clear, "the judge must find what is accepted with a margin >= 1e-4")
    own = all(finding.seed_id == case.seeds.batch.ids[row % 10] for row, finding in findings)
    promise(own, "findings must belong to the seeds of their candidates")


def _says_what_it_needs(case: _Case) -> None:
    promise(isinstance(case.oracle.needs, Capability), f"needs must be a Capability, got {case.oracle.needs}")


_CHECKS = (
    _a_verdict_on_every_candidate,
    _the_same_alone_and_in_company,
    _leaves_everything_alone,
    _the_judge_finds_only_what_it_accepts,
    _says_what_it_needs,
)
