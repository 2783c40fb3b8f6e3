import pytest
import torch
from torch import Tensor

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.masks import Masks
from unnerve.core.model import Capability, Observation, Want
from unnerve.core.wrappers.metering import BudgetSpent, Meter, Metered
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.dropout.settings import Dropout
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.testing.scene import tiny_net


class Counting:
    """A model that counts the rows it is shown."""

    name, offers = "counting", Capability.ANSWERS

    def __init__(self) -> None:
        self.rows = 0

    def identity(self, shape: tuple[int, ...]) -> str:
        return f"counting {shape}"

    def observe(self, x: Tensor, want: Want = Want.LOGITS) -> Observation:
        self.rows += len(x)
        return Observation(torch.zeros(len(x), 2))


def test_charges_each_seed_for_its_rows() -> None:
    meter, model = Meter(4), Counting()
    Metered(model, meter).of(torch.tensor([0, 2, 2, 3])).observe(torch.zeros(4, 1))
    assert meter.spent.tolist() == [1, 0, 2, 1]
    assert model.rows == 4


def test_a_gradient_costs_two(tiny_model: TorchModule, small_images: Tensor) -> None:
    meter = Meter(3)
    view = Metered(tiny_model, meter).of(torch.tensor([1, 1]))
    values, gradients, _ = view.gradient(small_images[:2], lambda seen, _: seen.logits[:, 0], torch.zeros(2))
    assert meter.spent.tolist() == [0, 4, 0]
    expected = tiny_model.gradient(small_images[:2], lambda seen, _: seen.logits[:, 0], torch.zeros(2))
    assert torch.equal(values, expected[0])
    assert torch.equal(gradients, expected[1])


@pytest.mark.parametrize("count", [1, 3])
def test_several_gradients_share_one_forward_pass(tiny_model: TorchModule, small_images: Tensor, count: int) -> None:
    meter = Meter(3)
    view = Metered(tiny_model, meter).of(torch.tensor([2, 0, 2]))
    values, gradients, _ = view.gradient(small_images[:3], lambda seen, _: seen.logits[:, :count], torch.zeros(3))
    assert values.shape == (3, count)
    assert gradients.shape == (3, count, 1, 8, 8)
    assert meter.spent.tolist() == [1 + count, 0, 2 * (1 + count)]


def test_gradients_beyond_the_budget_never_exceed_it(tiny_model: TorchModule, small_images: Tensor) -> None:
    meter = Meter(1, budget=3)
    with pytest.raises(BudgetSpent):
        Metered(tiny_model, meter).of(torch.tensor([0])).gradient(
            small_images[:1], lambda seen, _: seen.logits[:, :3], torch.zeros(1)
        )
    assert meter.spent.tolist() <= [3]


def test_the_last_affordable_pass_is_run() -> None:
    meter, model = Meter(2, budget=3), Counting()
    view = Metered(model, meter)
    view.of(torch.tensor([0, 0, 0, 1])).observe(torch.zeros(4, 1))
    assert meter.spent.tolist() == [3, 1]


def test_a_pass_beyond_the_budget_is_not_run_and_not_charged() -> None:
    meter, model = Meter(2, budget=3), Counting()
    view = Metered(model, meter)
    view.of(torch.tensor([0, 0])).observe(torch.zeros(2, 1))
    with pytest.raises(BudgetSpent):
        view.of(torch.tensor([0, 0, 1])).observe(torch.zeros(3, 1))
    assert model.rows == 2
    assert meter.spent.tolist() == [2, 0]
    view.of(torch.tensor([0, 1])).observe(torch.zeros(2, 1))
    assert meter.spent.tolist() == [3, 1]


def test_a_gradient_beyond_the_budget_is_not_run(tiny_model: TorchModule, small_images: Tensor) -> None:
    meter = Meter(1, budget=1)
    with pytest.raises(BudgetSpent):
        Metered(tiny_model, meter).of(torch.tensor([0])).gradient(
            small_images[:1], lambda seen, _: seen.logits[:, 0], torch.zeros(1)
        )
    assert meter.spent.tolist() == [0]


def test_no_gradients_from_a_black_box() -> None:
    box = BlackBox(lambda x: [[0.5, 0.5]] * len(x), "box")
    with pytest.raises(InvalidModel, match="a gradient needs gradients, which box does not offer"):
        Metered(box, Meter(1)).of(torch.tensor([0])).gradient(
            torch.zeros(1, 1), lambda seen, _: seen.logits[:, 0], torch.zeros(1)
        )


class Dropping(Counting):
    """A model with dropout that counts the rows of all draws."""

    offers = Capability.DROPOUT

    def samples(self, x: Tensor, masks: Masks) -> Tensor:
        self.rows += masks.draws * len(x)
        return torch.full((masks.draws, len(x), 2), 0.5)


def test_a_draw_costs_one() -> None:
    meter, model = Meter(3, budget=15), Dropping()
    view = Metered(model, meter).of(torch.tensor([2, 0, 2]))
    assert view.samples(torch.zeros(3, 1), Masks(0, ("c", "a", "c"), draws=7)).shape == (7, 3, 2)
    assert meter.spent.tolist() == [7, 0, 14]
    with pytest.raises(BudgetSpent):
        view.samples(torch.zeros(3, 1), Masks(0, ("c", "a", "c"), draws=1))
    assert model.rows == 21


def test_an_answer_with_its_draws_costs_as_much_as_one_after_the_other(small_images: Tensor) -> None:
    known, masks = TorchModule(tiny_net(), dropout=Dropout(0.3)), Masks(0, ("a", "b"), 4)
    meter = Meter(2, budget=5)
    view = Metered(known, meter).of(torch.arange(2))
    seen, draws = view.observed_samples(small_images[:2], masks)
    assert meter.spent.tolist() == [5, 5]
    assert torch.equal(seen.logits, known.observe(small_images[:2]).logits)
    assert torch.equal(draws, known.samples(small_images[:2], masks))
    with pytest.raises(BudgetSpent):
        view.observed_samples(small_images[:2], masks)
    # A model that knows no better is asked twice.
    other = Dropping()
    Metered(other, Meter(2)).of(torch.arange(2)).observed_samples(torch.zeros(2, 1), masks)
    assert other.rows == 2 + 8


def test_a_gradient_under_dropout_costs_two(small_images: Tensor) -> None:
    meter = Meter(2)
    view = Metered(TorchModule(tiny_net(), dropout=Dropout(0.3)), meter).of(torch.tensor([0, 0, 1]))
    view.drawn_gradient(
        small_images[:3], Masks(0, ("a", "b", "c"), 1), lambda seen, _: seen.logits[:, 0], torch.zeros(3)
    )
    assert meter.spent.tolist() == [4, 2]


def test_no_draws_from_a_model_without_dropout() -> None:
    with pytest.raises(InvalidModel, match="a dropout draw needs dropout, which counting does not offer"):
        Metered(Counting(), Meter(1)).of(torch.tensor([0])).samples(torch.zeros(1, 1), Masks(0, ("a",)))


@pytest.mark.parametrize("rows", [None, torch.tensor([0])])
def test_one_must_say_whose_rows_they_are(rows: Tensor | None) -> None:
    with pytest.raises(RuntimeError, match="say whose rows these are"):
        Metered(Counting(), Meter(2), rows).observe(torch.zeros(2, 1))


def test_forwards_name_offers_and_identity(tiny_model: TorchModule) -> None:
    metered = Metered(tiny_model, Meter(1))
    assert (metered.name, metered.offers) == (tiny_model.name, tiny_model.offers)
    assert metered.identity((1, 8, 8)) == tiny_model.identity((1, 8, 8))


def test_refuses_a_budget_of_nothing() -> None:
    with pytest.raises(InvalidSetting, match="budget must be >= 1 query, got 0"):
        Meter(1, budget=0)


def test_silencing_costs_one_query_a_mask(tiny_model: TorchModule, small_images: Tensor) -> None:
    meter, masks = Meter(3), torch.rand(2, 5, 9)
    view = Metered(tiny_model, meter).of(torch.tensor([0, 2]))
    assert torch.equal(view.silenced(small_images[:2], masks), tiny_model.silenced(small_images[:2], masks))
    assert meter.spent.tolist() == [5, 0, 5]
    assert view.neuron_map(small_images) == tiny_model.neuron_map(small_images)
    assert meter.spent.tolist() == [5, 0, 5]


def test_a_gradient_of_masks_costs_two_a_mask(tiny_model: TorchModule, small_images: Tensor) -> None:
    meter, masks = Meter(2, budget=7), torch.rand(2, 3, 9)
    view = Metered(tiny_model, meter).of(torch.tensor([0, 1]))
    found = view.mask_gradient(small_images[:2], masks, lambda seen, _: seen.logits[:, 0], torch.zeros(2))
    wanted = tiny_model.mask_gradient(small_images[:2], masks, lambda seen, _: seen.logits[:, 0], torch.zeros(2))
    assert all(torch.equal(one, other) for one, other in zip(found, wanted, strict=True))
    assert meter.spent.tolist() == [6, 6]
    with pytest.raises(BudgetSpent):
        view.silenced(small_images[:2], masks)
    assert meter.spent.tolist() == [6, 6]


def test_no_neurons_of_a_black_box() -> None:
    view = Metered(BlackBox(lambda x: [[0.5, 0.5]] * len(x), "box"), Meter(1)).of(torch.tensor([0]))
    for ask in (
        lambda: view.neuron_map(torch.zeros(1, 1)),
        lambda: view.silenced(torch.zeros(1, 1), torch.ones(1, 1, 1)),
    ):
        with pytest.raises(InvalidModel, match="looking at neurons needs neurons, which box does not offer"):
            ask()


def test_charges_for_passes_of_others(tiny_model: TorchModule) -> None:
    meter = Meter(4, budget=3)
    Metered(tiny_model, meter).charge(torch.tensor([0, 3]), 1)
    Metered(tiny_model, meter).among(torch.tensor([1, 3])).charge(torch.tensor([0, 1]), 2)
    assert meter.spent.tolist() == [1, 2, 0, 3]
    with pytest.raises(BudgetSpent):
        Metered(tiny_model, meter).among(torch.tensor([1, 3])).charge(torch.tensor([1]), 1)
