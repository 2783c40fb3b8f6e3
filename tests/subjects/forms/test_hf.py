import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from PIL import Image

from unnerve.core.errors import InvalidModel, InvalidSetting, MissingExtra
from unnerve.core.masks import Masks
from unnerve.core.model import Capability
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.adapters.image_processing import ImageProcessing
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.declaration import declaration_of
from unnerve.subjects.joined import joined
from unnerve.subjects.models import model

pytestmark = pytest.mark.filterwarnings("ignore")
hub: Any = transformers  # half of it is untyped
SMALL: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "num_labels": 3,
}
IMAGES = np.random.default_rng(0).integers(0, 256, (6, 3, 23, 31), dtype=np.uint8)
X = torch.from_numpy(IMAGES).float() / 255


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Keep the library from talking, and from asking the network."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    hub.utils.logging.disable_progress_bar()
    yield
    hub.utils.logging.enable_progress_bar()


def vit(**more: Any) -> Any:
    config = hub.ViTConfig(**SMALL, image_size=16, patch_size=4, initializer_range=0.5, **more)
    return hub.ViTForImageClassification(config).eval()


def saved(folder: Path, *parts: Any) -> str:
    for part in parts:
        part.save_pretrained(folder)
    return f"hf:{folder}"


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("ViTImageProcessorPil", {"size": {"height": 16, "width": 16}}),
        ("CLIPImageProcessorPil", {"size": {"shortest_edge": 18}, "crop_size": {"height": 16, "width": 16}}),
        ("ConvNextImageProcessorPil", {"size": {"shortest_edge": 16}}),
        ("BitImageProcessorPil", {"size": {"shortest_edge": 18}, "crop_size": {"height": 16, "width": 16}}),
    ],
)
def test_images_are_processed_as_the_processor_does_it(tmp_path: Path, kind: str, settings: dict[str, Any]) -> None:
    processor = getattr(transformers, kind)(**settings)
    taken = model(saved(tmp_path, vit(), processor))
    assert isinstance(taken, TorchModule)
    theirs = processor(list(IMAGES), return_tensors="pt")["pixel_values"]
    ours = taken.module.processing(X)  # type: ignore[operator]
    assert ours.shape == theirs.shape
    # Theirs are rounded to 8 bits after resizing.
    assert (ours - theirs).abs().mean() < 0.01


def test_answers_gradients_neurons_and_dropout(tmp_path: Path) -> None:
    net, processor = vit(hidden_dropout_prob=0.2), hub.ViTImageProcessorPil(size={"height": 16, "width": 16})
    net.config.id2label = {0: "cat", 1: "dog", 2: "owl"}
    taken = model(saved(tmp_path, net, processor))
    assert isinstance(taken, TorchModule)
    assert taken.offers == Capability.GRADIENTS | Capability.NEURONS | Capability.DROPOUT
    assert taken.declared.class_names == ("cat", "dog", "owl")
    assert taken.declared.form.endswith("images resized to 16 x 16, normalised")
    with torch.no_grad():
        expected = net(processor(list(IMAGES), return_tensors="pt")["pixel_values"]).logits
    assert torch.allclose(taken.observe(X).logits, expected, atol=0.2)
    assert torch.equal(taken.observe(X).predicted, expected.argmax(dim=1))
    _, gradients, _ = taken.gradient(X, lambda seen, _: seen.logits[:, 0], torch.zeros(6))
    assert gradients.shape == X.shape
    assert bool(gradients.any())
    assert "classifier" in [layer.name for layer in taken.neuron_map(X).layers]
    assert taken.samples(X, Masks(0, tuple("abcdef"), 4)).shape == (4, 6, 3)


def wav2vec2() -> Any:
    shape: dict[str, Any] = {"conv_dim": (8, 8), "conv_stride": (5, 2), "conv_kernel": (10, 3)}
    positions = {"num_conv_pos_embeddings": 4, "num_conv_pos_embedding_groups": 2}
    config = hub.Wav2Vec2Config(**SMALL, **shape, **positions, num_feat_extract_layers=2, classifier_proj_size=8)
    return hub.Wav2Vec2ForSequenceClassification(config).eval()


def test_waveforms(tmp_path: Path) -> None:
    net, extractor = wav2vec2(), hub.Wav2Vec2FeatureExtractor()
    taken = model(saved(tmp_path, net, extractor))
    assert isinstance(taken, TorchModule)
    x = torch.rand(4, 400) * 2 - 1
    given = extractor(list(x.numpy()), sampling_rate=16000, return_tensors="pt").input_values
    with torch.no_grad():
        assert torch.allclose(taken.observe(x).logits, net(given).logits, atol=1e-4)
    assert torch.allclose(taken.observe(x.unsqueeze(1)).logits, taken.observe(x).logits, atol=1e-5)
    assert Capability.GRADIENTS in taken.offers
    assert taken.declared.form.endswith("waveforms at 16000 Hz")


def test_spectrograms_are_a_black_box(tmp_path: Path) -> None:
    sides = {"max_length": 32, "num_mel_bins": 16}
    config = hub.ASTConfig(**SMALL, **sides, patch_size=8, frequency_stride=8, time_stride=8)
    net, extractor = hub.ASTForAudioClassification(config).eval(), hub.ASTFeatureExtractor(**sides)
    taken = model(saved(tmp_path, net, extractor))
    assert isinstance(taken, BlackBox)
    x = torch.rand(2, 4000)
    given = extractor(list(x.numpy()), sampling_rate=16000, return_tensors="pt").input_values
    with torch.no_grad():
        assert torch.allclose(taken.observe(x).logits, net(given).logits, atol=1e-4)


def test_a_network_without_its_classifier_is_refused(tmp_path: Path) -> None:
    whole = saved(tmp_path, vit().vit, hub.ViTImageProcessorPil())
    with pytest.raises(
        InvalidModel, match=r"has no weights for classifier\.bias, classifier\.weight; it is no trained"
    ):
        model(whole)


def test_what_cannot_be_opened_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InvalidModel, match=r"hf:nowhere: must be a directory with a config\.json"):
        model("hf:nowhere")
    with pytest.raises(InvalidModel, match=r"has no preprocessor_config\.json; save the processor beside the model"):
        model(saved(tmp_path / "bare", vit()))
    text = hub.BertConfig(**SMALL, vocab_size=10)
    with pytest.raises(InvalidModel, match="must be an image or an audio classifier, got bert"):
        model(saved(tmp_path / "text", text))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InvalidModel, match="its config cannot be read: ") as error:
        model(f"hf:{tmp_path}")
    assert "\n" not in str(error.value)


def test_options_that_the_directory_decides(tmp_path: Path) -> None:
    for more, words in (
        ({"weights": "w.pt"}, "holds its own weights"),
        ({"normalise": "0/1"}, "as its processor says"),
    ):
        with pytest.raises(InvalidSetting, match=words):
            model(f"hf:{tmp_path}", **more)


def test_a_missing_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(MissingExtra, match=r'a model of Hugging Face .*pip install "unnerve\[hf\]"'):
        model(f"hf:{tmp_path}")


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("ViTImageProcessorPil", {"size": {"height": 16, "width": 16}}),
        ("CLIPImageProcessorPil", {"size": {"shortest_edge": 18}, "crop_size": {"height": 16, "width": 16}}),
        ("ConvNextImageProcessorPil", {"size": {"shortest_edge": 16}}),
    ],
)
def test_photos_of_any_size_are_read_as_the_processor_would(
    tmp_path: Path, kind: str, settings: dict[str, Any]
) -> None:
    processor, folder = getattr(transformers, kind)(**settings), tmp_path / "photos"
    folder.mkdir()
    rng, photos = np.random.default_rng(1), []
    for number, (height, width) in enumerate([(40, 60), (60, 40), (48, 48), (33, 90)]):
        # Coarse patterns: a pixel more or less at the border of the crop matters little.
        coarse = Image.fromarray(rng.integers(0, 256, (4, 4, 3), dtype=np.uint8))
        photos.append(coarse.resize((width, height), Image.Resampling.BICUBIC))
        photos[-1].save(folder / f"{number}.png")
    taken, data = joined(saved(tmp_path / "net", vit(), processor), str(folder))
    assert isinstance(taken, TorchModule)
    ours = taken.module.processing(data.batch(range(4)).inputs)  # type: ignore[operator]
    theirs = processor(photos, return_tensors="pt")["pixel_values"]
    assert ours.shape == theirs.shape
    assert (ours - theirs).abs().mean() < 0.05 * theirs.std()


def test_files_are_left_as_they_are_where_the_processor_gives_them_no_square() -> None:
    for size in (None, (16, 24), 18):
        assert ImageProcessing(size=size).facts(3).settings_of_data() == {}
    assert ImageProcessing(size=(16, 16), mode="nearest").facts(1).settings_of_data() == {
        "size": 16,
        "crop": None,
        "interpolation": "nearest",
        "grey": True,
    }


def test_clips_of_another_rate_are_resampled(tmp_path: Path) -> None:
    taken = model(saved(tmp_path, wav2vec2(), hub.Wav2Vec2FeatureExtractor(sampling_rate=8000)))
    assert declaration_of(taken).inputs.settings_of_data() == {"rate": 8000}
