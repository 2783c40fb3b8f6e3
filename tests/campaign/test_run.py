from collections.abc import Callable
from itertools import groupby

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from unnerve.campaign import _chunk_run
from unnerve.campaign import run as running
from unnerve.campaign._ledger import eight_bit
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.plan import HuntPlan
from unnerve.core.data.examples import Examples
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.findings import Candidates, Finding, Seeds
from unnerve.core.model import Capability, Classifier, Observation, Want
from unnerve.core.naming.catalogue import build
from unnerve.core.streams import Streams
from unnerve.core.subject import Subject
from unnerve.core.wrappers.metering import Meter, Metered
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.datasets.tensors import tensors

Planned = Callable[..., HuntPlan]
Found = Callable[[HuntPlan, Classifier, Examples], Outcome]
PGD, NOISE = "pgd:steps=6", "gaussian:deviation=0.2,iterations=9"
SWARM = "guided:search=pso(particles=6,iterations=7)"
IDLE = "guided:search=random(population=5,iterations=15)"
METHODS = [PGD, SWARM, NOISE]


def by_seed(outcome: Outcome) -> dict[str, list[tuple[Finding, int]]]:
    return {name: list(some) for name, some in groupby(outcome.findings, key=lambda one: one[0].seed_id)}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("region", ["linf:0.1", "l2:0.6"])
def test_the_size_of_shards_does_not_matter(
    method: str, region: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    whole = outcome(planned(method, region), tiny_model, pictures)
    assert whole.findings
    for size in (1, 3, 20):
        assert outcome(planned(method, region, shard=size), tiny_model, pictures) == whole


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("keep_going", [True, False])
def test_the_company_does_not_matter(
    method: str,
    keep_going: bool,
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = planned(method, keep_going=keep_going)
    whole = outcome(plan, tiny_model, pictures)
    for rows, judged in ((1, 256), (30, 1), (100, 10_000)):
        monkeypatch.setattr(running, "_ROWS", rows)
        monkeypatch.setattr(_chunk_run, "_JUDGED_AT_ONCE", judged)
        assert outcome(plan, tiny_model, pictures) == whole
    # Large inputs: no chunk, and no judgement, of more than one.
    monkeypatch.setattr(running, "_BYTES", 1)
    monkeypatch.setattr(_chunk_run, "_JUDGED_BYTES", 1)
    assert outcome(plan, tiny_model, pictures) == whole


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_seeds_does_not_matter(
    method: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    plan = planned(method, shard=6)
    forth = outcome(plan, tiny_model, pictures)
    back = outcome(plan, tiny_model, pictures.take(range(19, -1, -1)))
    assert by_seed(back) == by_seed(forth)
    assert back.seeds == forth.seeds[::-1]


@pytest.mark.parametrize("method", METHODS)
def test_findings_are_true(
    method: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(planned(method), tiny_model, pictures)
    batch = pictures.batch(range(20))
    for finding, _ in found.findings:
        row = int(finding.seed_id)
        seen = tiny_model.observe(finding.tensor().unsqueeze(0))
        assert int(seen.predicted) == finding.after != finding.label == finding.before
        assert finding.margin == pytest.approx(-float(seen.lead(torch.tensor([finding.label]))))
        assert finding.margin >= 1e-4
        assert float((finding.tensor() - batch.inputs[row]).abs().amax()) <= 0.1 + 1e-6


@pytest.mark.parametrize(("method", "cost"), [(PGD, 2), (SWARM, 6), (NOISE, 1)])
def test_findings_know_their_step_and_price(
    method: str, cost: int, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(planned(method), tiny_model, pictures)
    assert all(queries == 1 + cost * (finding.step + 1) for finding, queries in found.findings)
    assert len({finding.step for finding, _ in found.findings}) > 1
    for some in by_seed(found).values():
        assert [finding.step for finding, _ in some] == sorted(finding.step for finding, _ in some)


@pytest.mark.parametrize("method", METHODS)
def test_a_hunt_can_stop_at_the_first_finding(
    method: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    all_of_them = outcome(planned(method), tiny_model, pictures)
    first = outcome(planned(method, keep_going=False), tiny_model, pictures)
    expected = {name: some[0] for name, some in by_seed(all_of_them).items()}
    assert {finding.seed_id: (finding, queries) for finding, queries in first.findings} == expected
    for record, full in zip(first.seeds, all_of_them.seeds, strict=True):
        if record.id in expected:
            assert record.queries == expected[record.id][1], "nothing is spent afterwards"
            assert record.failing == 1
            assert record.picks == expected[record.id][0].step + 1
        else:
            assert record == full


@pytest.mark.parametrize(("method", "cost", "steps"), [(PGD, 2, 6), (SWARM, 6, 7), (NOISE, 1, 9)])
@pytest.mark.parametrize("queries", [1, 2, 3, 6, 7, 8, 12, 13, 14, 1000])
def test_budgets_are_kept_and_used_up(
    method: str,
    cost: int,
    steps: int,
    queries: int,
    planned: Planned,
    outcome: Found,
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    found = outcome(planned(method, queries=queries), tiny_model, pictures)
    affordable = min(steps, (queries - 1) // cost)
    assert all(record.queries == 1 + affordable * cost <= queries for record in found.seeds)
    assert all(record.picks == affordable for record in found.seeds)
    unlimited = outcome(planned(method), tiny_model, pictures)
    assert found.findings == tuple(one for one in unlimited.findings if one[1] <= queries)


class Counting:
    """A model that counts the rows it answers, and passes them on."""

    def __init__(self, model: TorchModule) -> None:
        self.model, self.name, self.offers, self.rows = model, "counting", Capability.ANSWERS, 0

    def identity(self, shape: tuple[int, ...]) -> str:
        return "counting"

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        self.rows += len(x)
        return self.model.observe(x, want)


def test_the_model_is_asked_no_more_often_than_is_charged(
    planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    model = Counting(tiny_model)
    found = outcome(planned(SWARM, queries=20), model, pictures)
    charged, judged = (sum(numbers) for numbers in zip(*((one.queries, one.picks) for one in found.seeds), strict=True))
    # A second judgement looks at some findings once more, and charges nobody.
    assert charged + judged < model.rows <= charged + judged + len(found.findings)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("region", ["linf:8/255", "l2:0.6"])
def test_quantised_findings_are_eight_bit_images_that_still_fail(
    method: str, region: str, planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    found = outcome(planned(method, region, quantised=True), tiny_model, pictures)
    space, batch = build("region", region), pictures.batch(range(20))
    assert found.findings
    for finding, _ in found.findings:
        x = finding.tensor()
        assert torch.equal((x * 255).round() / 255, x)
        assert bool(space.contains(x.unsqueeze(0), batch.inputs[int(finding.seed_id)].unsqueeze(0)))
        assert int(tiny_model.observe(x.unsqueeze(0)).predicted) == finding.after != finding.label


def test_quantising_costs_little(planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples) -> None:
    exact, rounded = (
        outcome(planned(PGD, "linf:16/255", quantised=quantised), tiny_model, pictures) for quantised in (False, True)
    )
    assert len(by_seed(rounded)) >= 0.8 * len(by_seed(exact)) > 0


@pytest.mark.parametrize("levels", [1, 3, 8, 26, 64])
@pytest.mark.parametrize("sign", [1, -1])
def test_whole_levels_stay_what_they_are(levels: int, sign: int) -> None:
    centre = torch.arange(256).float().div(255).unsqueeze(0)
    x = (centre + sign * levels / 255).clamp(0, 1)
    expected = (torch.arange(256) + sign * levels).clamp(0, 255)
    assert (eight_bit(x, centre) * 255).round()[0].tolist() == expected.tolist()


def test_rounds_towards_the_seed() -> None:
    centre = torch.full((1, 6), 100 / 255)
    x = torch.tensor([[100.9, 99.1, 103.5, 96.5, 100.0, 102.0]]) / 255
    assert (eight_bit(x, centre) * 255).round().tolist() == [[100, 100, 103, 97, 100, 102]]


def test_a_seed_between_two_levels_counts_as_the_nearer_one() -> None:
    centre, x = torch.tensor([[100.3 / 255, 100.7 / 255]]), torch.tensor([[100.3 / 255, 102.9 / 255]])
    assert (eight_bit(x, centre) * 255).round().tolist() == [[100, 102]]


def careful(x: np.ndarray) -> np.ndarray:
    """Answer whether an image is bright above; raise on images that are very bright as a whole."""
    if (x.mean(axis=(1, 2, 3)) > 0.8).any():
        raise ValueError("too bright")
    above = 40 * (x[:, 0, :4].mean(axis=(1, 2)) - x[:, 0, 4:].mean(axis=(1, 2)))
    return np.stack([above, -above], axis=1)


@pytest.mark.parametrize("shard", [1, 7, 20])
def test_a_poisoned_seed_is_lost_alone_and_says_why(
    shard: int, planned: Planned, outcome: Found, small_images: Tensor
) -> None:
    inputs = small_images[:20].clone()
    above = inputs[:, 0, :4].mean(dim=(1, 2)) > inputs[:, 0, 4:].mean(dim=(1, 2))
    sound = tensors(inputs, (~above).long(), name="sound")
    model = BlackBox(careful, "careful", "logits")
    expected = outcome(planned(SWARM, shard=shard), model, sound)
    assert expected.findings
    inputs[[5, 16]] = 0.95
    found = outcome(planned(SWARM, shard=shard), model, tensors(inputs, (~above).long(), name="poisoned"))
    lost = {"5", "16"}
    reason = "careful raised ValueError: too bright"
    assert [one for one in found.seeds if one.failed] == [SeedRecord(name, 0, 0, 0, reason) for name in ("5", "16")]
    assert [one for one in found.seeds if not one.failed] == [one for one in expected.seeds if one.id not in lost]
    assert found.findings == tuple(one for one in expected.findings if one[0].seed_id not in lost)


class Small(Counting):
    """A model with memory for a few rows only."""

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        if len(x) > 20:
            raise MemoryError
        return super().observe(x, want)


def test_too_little_memory_for_all_is_enough_for_few(
    planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    assert outcome(planned(NOISE), Small(tiny_model), pictures) == outcome(planned(NOISE), tiny_model, pictures)


@pytest.mark.parametrize("method", [*METHODS, IDLE])
def test_picks_failing_picks_and_distinct_errors(
    method: str,
    planned: Planned,
    outcome: Found,
    proposals: Callable[..., list[Candidates]],
    tiny_model: TorchModule,
    pictures: Examples,
) -> None:
    """Every failing pick counts as failing; an input that was picked before is no further error."""
    batch = pictures.batch(range(20))
    model = Metered(tiny_model, Meter(20))
    seeds = Seeds(batch, model.of(torch.arange(20)).observe(batch.inputs))
    scene = Subject(model), seeds, Streams(0, batch.ids)
    proposed = proposals(build("hunter", method), scene, build("region", "linf:0.1"))
    failing, first = [0] * 20, [dict[bytes, int]() for _ in range(20)]
    for candidates in proposed:
        margins = -tiny_model.observe(candidates.inputs).lead(seeds.expected[candidates.seed_index])
        for seed, x, margin in zip(candidates.seed_index.tolist(), candidates.inputs, margins.tolist(), strict=True):
            if margin >= 1e-4:
                failing[seed] += 1
                first[seed].setdefault(x.numpy().tobytes(), candidates.step)
    found = outcome(planned(method), tiny_model, pictures)
    assert [one.failing for one in found.seeds] == failing
    assert [one.picks for one in found.seeds] == [len(proposed)] * 20
    errors = by_seed(found)
    assert [{one.input: one.step for one, _ in errors.get(name, [])} for name in batch.ids] == first
    assert len(found.findings) == sum(map(len, first)) > 0
    if method == IDLE:
        assert sum(failing) > len(found.findings), "a champion that stays is picked again, but is one error"


def test_a_method_that_asks_for_too_much_is_refused(planned: Planned, outcome: Found, pictures: Examples) -> None:
    with pytest.raises(InvalidModel, match=r"^pgd needs gradients, which careful does not offer"):
        outcome(planned(PGD), BlackBox(careful, "careful", "logits"), pictures)


def test_a_region_that_does_not_fit_is_refused(
    planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    with pytest.raises(InvalidSetting, match=r"^pgd works in linf or l2, got l0$"):
        outcome(planned(PGD, "l0:0.1"), tiny_model, pictures)


def test_several_methods_share_a_plan(
    planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    both = outcome(planned(f"{PGD} {NOISE}"), tiny_model, pictures)
    alone = [outcome(planned(method), tiny_model, pictures) for method in (PGD, NOISE)]
    assert both == alone[0] + alone[1]


def test_another_seed_of_the_run_finds_other_inputs(
    planned: Planned, outcome: Found, tiny_model: TorchModule, pictures: Examples
) -> None:
    one, other = (outcome(planned(NOISE, seed=seed), tiny_model, pictures) for seed in (0, 1))
    assert not {finding.id for finding, _ in one.findings} & {finding.id for finding, _ in other.findings}


@pytest.mark.usefixtures("random_state_stays")
def test_model_and_random_state_are_left_alone(
    planned: Planned, outcome: Found, tiny_model: TorchModule, tiny_net: nn.Module, pictures: Examples
) -> None:
    weights = {name: tensor.clone() for name, tensor in tiny_net.state_dict().items()}
    tiny_net.train()
    outcome(planned(PGD), tiny_model, pictures)
    assert all(part.training for part in tiny_net.modules())
    assert all(torch.equal(tensor, weights[name]) for name, tensor in tiny_net.state_dict().items())


@pytest.mark.parametrize(("low", "high"), [(0, 255), (-1, 1), (-0.42421296, 2.8214867)])
def test_levels_of_another_range(low: float, high: float) -> None:
    levels, moved = torch.arange(256), (torch.arange(256) + 3).clamp(0, 255)
    centre, x = ((one / 255 * (high - low) + low).unsqueeze(0) for one in (levels, moved))
    rounded = eight_bit(x + 0.3 / 255 * (high - low), centre, (low, high))
    assert ((rounded.double() - low) / (high - low) * 255).round()[0].tolist() == moved.tolist()
    assert float(rounded.amax()) <= np.float32(high)
