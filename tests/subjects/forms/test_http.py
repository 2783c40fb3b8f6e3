from collections.abc import Iterator

import pytest
import torch
from torch import Tensor, nn

from tests.subjects.adapters.endpoint_server import Script, serving
from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.core.model import Capability
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.models import model


@pytest.fixture
def script(tiny_net: nn.Module) -> Script:
    return Script(tiny_net)


@pytest.fixture
def url(script: Script) -> Iterator[str]:
    with serving(script) as address:
        yield address


def test_is_a_black_box_that_says_how_it_is_asked(url: str) -> None:
    taken = model(f"{url},batch=8,send=npy")
    assert isinstance(taken, BlackBox)
    assert taken.offers == Capability.ANSWERS
    assert taken.name == f"{url},batch=8,send=npy"
    assert taken.declared.form == "endpoint, npy of at most 8 inputs"


def test_is_normalised_and_transformed_as_others_are(url: str, tiny_net: nn.Module, small_images: Tensor) -> None:
    seen = model(url, normalise="0.13/0.31", outputs="logits").observe(small_images)
    expected = model(tiny_net, normalise="0.13/0.31").observe(small_images)
    assert torch.allclose(seen.logits, expected.logits, atol=1e-4)


def test_the_token_comes_from_the_environment(
    script: Script, url: str, small_images: Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "open sesame")
    model(f"{url},token=MY_TOKEN").observe(small_images)
    assert script.headers[0]["Authorization"] == "Bearer open sesame"
    with pytest.raises(InvalidSetting, match="token must name an environment variable with a value, got 'NO_TOKEN'"):
        model(f"{url},token=NO_TOKEN")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("send=xml", "http: send must be json or npy, got 'xml'"),
        ("batch=0", "http: batch must be > 0, got 0"),
        ("timeout=-1", "http: timeout must be > 0, got -1.0"),
        ("rate=0", "http: rate must be > 0, got 0.0"),
        ("retries=-1", "http: retries must be >= 0, got -1"),
        ("retires=2", "http has no setting 'retires'; it has send, key, "),
    ],
)
def test_wrong_settings_are_one_clear_line(settings: str, words: str) -> None:
    with pytest.raises(InvalidSetting) as error:
        model(f"http://localhost:1/predict,{settings}")
    assert str(error.value).startswith(words)


@pytest.mark.parametrize("url", ["http:", "http://", "http:/host/path", "https://host:port/x", "http://:80/"])
def test_wrong_addresses(url: str) -> None:
    with pytest.raises(InvalidModel, match=r"an endpoint must be http://HOST:PORT/PATH, got "):
        model(url)


def test_has_no_other_weights() -> None:
    with pytest.raises(InvalidSetting, match="has its own weights"):
        model("http://localhost:1/", weights="w.pt")
