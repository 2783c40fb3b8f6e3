from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from torch import Tensor, nn

import unnerve
from unnerve.core.data.openings import opening_of
from unnerve.core.errors import InvalidSetting
from unnerve.core.model import Capability, Want
from unnerve.core.wrappers.transformed import Transformed
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.data import examples, further_data
from unnerve.subjects.datasets.table import table
from unnerve.subjects.dropout import with_dropout
from unnerve.subjects.joined import joined
from unnerve.subjects.models import model

RANGES = [(0.0, 255.0), (-1.0, 1.0), (-3.0, 5.0)]


def stretched(values: Tensor, held: tuple[float, float]) -> Tensor:
    return (values * (held[1] - held[0]) + held[0]).clamp(*held)


def answers(subject: Any, data: Any) -> Tensor:
    fitted, inputs = joined(subject, data)
    return fitted.observe(inputs.batch(range(len(inputs))).inputs).logits


@pytest.mark.parametrize("held", RANGES)
def test_a_network_of_the_zoo_is_given_what_it_was_trained_on(held: tuple[float, float]) -> None:
    digits = examples("mnist5k", limit=50).batch(range(50)).inputs
    data = examples(stretched(digits, held), stored_range=held)
    assert torch.allclose(answers("zoo:lenet5", data), answers("zoo:lenet5", digits), atol=1e-3)


@pytest.fixture(scope="module")
def tree() -> tuple[Any, np.ndarray]:
    """Return a tree that was grown on values from 0 to 16, and such values."""
    x, y = load_digits(return_X_y=True)
    x = x.astype(np.float32)
    grown = DecisionTreeClassifier(random_state=0).fit(x[:1000], y[:1000])
    return grown.predict_proba, x[1000:]


def test_a_function_is_given_values_as_they_are(tree: tuple[Any, np.ndarray]) -> None:
    grown, x = tree
    found = answers(grown, examples(x, stored_range=(0, 16)))
    assert found.argmax(dim=1).tolist() == grown(x).argmax(axis=1).tolist()


@pytest.mark.parametrize("held", [(0.0, 1.0), (-1.0, 1.0)])
def test_a_function_is_given_the_range_that_it_expects(tree: tuple[Any, np.ndarray], held: tuple[float, float]) -> None:
    grown, x = tree
    data = examples(stretched(torch.from_numpy(x / 16), held).numpy(), stored_range=held)
    found = answers(model(grown, model_range=(0, 16)), data)
    assert found.argmax(dim=1).tolist() == grown(x).argmax(axis=1).tolist()


def test_a_module_is_given_the_range_that_it_expects(tiny_net: nn.Module, small_images: Tensor) -> None:
    plain = model(tiny_net).observe(small_images * 2 - 1).logits
    assert torch.allclose(answers(model(tiny_net, model_range="-1,1"), small_images), plain, atol=1e-5)
    signed = examples(small_images * 2 - 1, stored_range=(-1, 1))
    assert torch.allclose(answers(tiny_net, signed), plain, atol=1e-5)


def test_gradients_neurons_and_draws_go_through_the_conversion(tiny_net: nn.Module, small_images: Tensor) -> None:
    x, plain = small_images[:4], model(tiny_net, model_range=(0, 1))
    fitted, data = joined(plain, examples(x * 255, stored_range=(0, 255)))
    assert isinstance(fitted, TorchModule)
    assert isinstance(plain, TorchModule)
    inputs, targets = data.batch(range(4)).inputs, torch.zeros(4, dtype=torch.int64)
    _, own, _ = plain.gradient(x, lambda seen, classes: seen.lead(classes), targets)
    _, further, _ = fitted.gradient(inputs, lambda seen, classes: seen.lead(classes), targets)
    assert torch.allclose(further * 255, own, atol=1e-5)
    assert fitted.neuron_map(inputs) == plain.neuron_map(x)
    neurons = fitted.observe(inputs, Want.NEURONS).neurons
    assert torch.allclose(neurons, plain.observe(x, Want.NEURONS).neurons, atol=1e-5)
    assert Capability.DROPOUT not in fitted.offers
    assert Capability.DROPOUT in with_dropout(fitted, 0.3).offers


def test_what_fits_is_not_changed(small_images: Tensor) -> None:
    lenet = model("zoo:lenet5")
    assert joined(lenet, "mnist5k")[0] is lenet
    fitted, data = joined(lenet, examples(torch.rand(2, 1, 28, 28) * 255, stored_range=(0, 255)))
    assert joined(fitted, data)[0] is fitted
    assert opening_of(fitted) == opening_of(lenet)
    assert fitted.identity((1, 28, 28)) != lenet.identity((1, 28, 28))


@pytest.mark.parametrize("held", RANGES)
def test_transforms_see_values_from_0_to_1(held: tuple[float, float]) -> None:
    text = "zoo:lenet5|bit_depth:2|jpeg:60"
    digits = examples("mnist5k", limit=20).batch(range(20)).inputs
    data = examples(stretched(digits, held), stored_range=held)
    assert torch.allclose(answers(text, data), answers(text, digits), atol=1e-2)
    assert isinstance(joined(text, data)[0], Transformed)


def test_a_transform_before_a_model_that_takes_the_data_as_they_are(tiny_net: nn.Module, small_images: Tensor) -> None:
    rounded = (small_images * 3).round() / 3 * 2 - 1
    plain = model(tiny_net).observe(rounded).logits
    subject = Transformed(model(tiny_net), lambda x: (x * 3).round() / 3, "rounded")
    signed = examples(small_images * 2 - 1, stored_range=(-1, 1))
    assert torch.allclose(answers(subject, signed), plain, atol=1e-4)
    stated = Transformed(model(tiny_net, model_range=(-1, 1)), lambda x: (x * 3).round() / 3, "rounded")
    assert torch.allclose(answers(stated, signed), plain, atol=1e-4)
    assert torch.allclose(answers(stated, small_images), plain, atol=1e-4)


@pytest.mark.parametrize("kind", ["module", "function"])
def test_means_of_values_that_nobody_stated_are_refused(kind: str, tiny_net: nn.Module, small_images: Tensor) -> None:
    thing = tiny_net if kind == "module" else (lambda x: tiny_net(torch.from_numpy(x)).detach().numpy())
    signed = examples(small_images * 2 - 1, stored_range=(-1, 1))
    with pytest.raises(InvalidSetting) as problem:
        joined(model(thing, normalise="0.13/0.31"), signed)
    assert problem.value.command_line == (
        "the data hold values in [-1, 1]: say with --model-range which values the means of --normalise are of, 0,1 or "
        "-1,1"
    )
    expected = model(tiny_net).observe((small_images - 0.13) / 0.31).logits
    assert torch.allclose(answers(model(thing, normalise="0.13/0.31", model_range=(0, 1)), signed), expected, atol=1e-4)


def test_boxes_for_other_ranges_are_told_apart() -> None:
    boxes = [lambda x, top=top: np.stack([x.sum(axis=1) > top, x.sum(axis=1) <= top], 1) * 1.0 for top in (300, 900)]
    dark = [model(one).identity((5,)) for one in boxes]
    assert dark[0] == dark[1]  # to values in [0, 1] both answer the same
    wide = examples(np.random.default_rng(0).random((3, 5)) * 255, stored_range=(0, 255))
    assert len({joined(one, wide)[0].identity((5,)) for one in boxes}) == 2


def test_a_range_is_said_when_a_model_is_taken(tiny_model: TorchModule) -> None:
    with pytest.raises(InvalidSetting, match=r"^.* was taken already; what range it expects is said when a model is"):
        model(tiny_model, model_range=(0, 255))


def test_further_data_have_the_same_range(small_images: Tensor) -> None:
    like = examples(small_images * 255, stored_range=(0, 255))
    signed = examples(small_images * 2 - 1, stored_range=(-1, 1))
    further = further_data(signed, like)
    assert further.value_range == (0.0, 255.0)
    assert torch.allclose(further.batch(range(3)).inputs, small_images[:3] * 255, atol=1e-4)
    assert further_data("mnist5k", like).batch(range(1)).inputs.max() > 200


def test_a_table_is_not_converted(tiny_net: nn.Module) -> None:
    first, second = (examples({"width": [0.0, high], "height": [1.0, 5.0]}) for high in (20.0, 10.0))
    assert first.value_range != second.value_range
    assert torch.equal(further_data(second, first).batch([1]).inputs, torch.tensor([[10.0, 5.0]]))
    with pytest.raises(InvalidSetting, match=r"expects values in \[0, 1\], but .* is a table, whose columns keep"):
        joined(model(tiny_net, model_range=(0, 1)), first)


CITIES = ["Ulm", "Bonn", "Kiel"]


def people() -> pd.DataFrame:
    """Return a table in which the city decides, unless somebody is old."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.integers(18, 80, 300), "income": rng.normal(3000, 800, 300)})
    frame["city"] = rng.choice(CITIES, 300)
    frame["risk"] = np.where((frame.city == "Ulm") | (frame.age > 70), "high", "low")
    return frame


def accuracy(fitted: Any, frame: pd.DataFrame) -> float:
    subject, data = joined(fitted, examples(table(frame, "risk", categories=["city"])))
    batch = data.batch(range(len(data)))
    assert batch.labels is not None
    return float((subject.observe(batch.inputs).predicted == batch.labels).float().mean())


def test_an_estimator_finds_its_columns_by_name() -> None:
    """In the order of the table it took ages for incomes, and nobody was told."""
    frame = people().assign(city=lambda one: one.city.map({name: number for number, name in enumerate(CITIES)}))
    grown = DecisionTreeClassifier(random_state=0).fit(frame[["income", "age", "city"]], frame.risk)
    assert accuracy(grown, frame) == 1
    assert accuracy(grown, frame.assign(shoe=44)[["shoe", "city", "risk", "age", "income"]]) == 1


@pytest.mark.parametrize("unknown", ["error", "ignore"])
def test_a_pipeline_is_given_texts_as_it_was_fitted_with(unknown: str) -> None:
    """An encoder that ignores what it does not know would take codes without a word."""
    frame = people()
    encoder = ColumnTransformer([("city", OneHotEncoder(handle_unknown=unknown), ["city"])], remainder="passthrough")
    grown = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).fit(frame.drop(columns="risk"), frame.risk)
    assert accuracy(grown, frame) == 1
    # Codes are those of this table, and the pipeline never sees them.
    assert accuracy(grown, frame[frame.city != "Bonn"]) == 1


def test_a_pipeline_that_was_fitted_with_codes_is_given_codes() -> None:
    frame = people()
    coded = frame.assign(city=frame.city.map({"Bonn": 0, "Kiel": 1, "Ulm": 2}))
    grown = DecisionTreeClassifier(random_state=0).fit(coded.drop(columns="risk"), coded.risk)
    assert accuracy(grown, frame) == 1


def test_a_hunt_on_texts_is_verified(tmp_path: Path) -> None:
    frame = people()
    encoder = ColumnTransformer([("city", OneHotEncoder(), ["city"])], remainder="passthrough")
    grown = make_pipeline(encoder, DecisionTreeClassifier(random_state=0)).fit(frame.drop(columns="risk"), frame.risk)
    data = examples(table(frame, "risk", categories=["city"]))
    found = unnerve.hunt(grown, data, "random", str(tmp_path / "a"), region="spread:1", inputs=20)
    assert len(found.findings)
    checked = unnerve.verify(found, grown)
    assert checked.held
    assert checked.run_again == len(found.findings)
