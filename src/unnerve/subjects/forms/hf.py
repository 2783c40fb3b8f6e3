"""``hf:DIR``: an image or audio classifier of Hugging Face, from a local directory."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidModel, InvalidSetting, MissingExtra
from unnerve.subjects.adapters.hugging_face import ImageClassifier, SpectrogramClassifier, WaveformClassifier
from unnerve.subjects.adapters.image_processing import image_processing
from unnerve.subjects.declaration import Declaration, ExpectedInput
from unnerve.subjects.input_facts import InputFacts
from unnerve.subjects.opened import Opened
from unnerve.subjects.opening import ModelOptions

__all__ = ["HF"]

_WAVEFORMS = "Wav2Vec2FeatureExtractor"


@dataclass(frozen=True)
class HF:
    """A classifier saved by ``save_pretrained``, with the size and normalisation of the processor beside it.

    Images in [0, 1] are resized, cropped and normalised as the processor does it, with gradients; waveforms are
    normalised likewise. Extractors that make spectrograms have no gradients: such a model is a black box.
    """

    shown: ClassVar[str] = "hf:DIR"
    also: ClassVar[tuple[str, ...]] = ()

    def opened(self, place: str, options: ModelOptions) -> Opened:
        """Load the model; nothing is downloaded, and no code of the directory is run."""
        if options.weights is not None:
            raise InvalidSetting(f"hf:{place} holds its own weights; leave --weights away")
        if options.normalise is not None:
            raise InvalidSetting(f"hf:{place} is normalised as its processor says; leave --normalise away")
        if not (Path(place) / "config.json").is_file():
            raise InvalidModel(f"hf:{place}: must be a directory with a config.json, as save_pretrained writes it")
        library = _imported()
        with _quiet(library):
            return _opened(library, place)


def _opened(library: Any, place: str) -> Opened:
    name = f"hf:{place}"
    try:
        config = library.AutoConfig.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    except Exception as problem:
        raise InvalidModel(f"{name}: its config cannot be read: {_line(problem)}") from problem
    for kind, wrapped in (("Image", _of_images), ("Audio", _of_audio)):
        maker = getattr(library, f"AutoModelFor{kind}Classification")
        # The only place where the library says what a model is for, without building it.
        if type(config) in maker._model_mapping:
            return wrapped(library, _network(maker, place, name), place)
    raise InvalidModel(f"{name}: must be an image or an audio classifier, got {config.model_type}")


def _network(maker: Any, place: str, name: str) -> nn.Module:
    try:
        network, report = maker.from_pretrained(
            place, local_files_only=True, trust_remote_code=False, output_loading_info=True
        )
    except Exception as problem:
        raise InvalidModel(f"{name}: its weights cannot be read: {_line(problem)}") from problem
    # A network without its classifier is loaded all the same, with random weights in that place.
    missing = sorted({*report["missing_keys"], *(str(one[0]) for one in report["mismatched_keys"])})
    if missing:
        raise InvalidModel(f"{name}: has no weights for {', '.join(missing[:3])}; it is no trained classifier")
    network.eval()
    found: nn.Module = network
    return found


def _of_images(library: Any, network: nn.Module, place: str) -> Opened:
    name, config = f"hf:{place}", network.config
    said = vars(_processor(library.AutoImageProcessor, place, name))
    processing = image_processing({key.lstrip("_"): value for key, value in said.items()}, name)
    shape = (int(getattr(config, "num_channels", 3)), None, None)
    form = f"Hugging Face {type(network).__name__}, images {processing.in_words()}"
    names, facts = _class_names(config), processing.facts(shape[0])
    declared = Declaration(form, "logits", shape, class_names=names, value_range=UNIT, inputs=facts)
    return Opened(ImageClassifier(network, processing, ExpectedInput(name, shape)), declared)


def _of_audio(library: Any, network: nn.Module, place: str) -> Opened:
    extractor = _processor(library.AutoFeatureExtractor, place, f"hf:{place}")
    kind, rate = type(extractor).__name__, extractor.sampling_rate
    form = f"Hugging Face {type(network).__name__}, waveforms at {rate} Hz"
    names, facts = _class_names(network.config), InputFacts(rate=int(rate))
    declared = Declaration(form, "logits", (None,), class_names=names, value_range=(-1.0, 1.0), inputs=facts)
    if kind == _WAVEFORMS:
        return Opened(WaveformClassifier(network, bool(extractor.do_normalize)), declared)
    return Opened(SpectrogramClassifier(network, extractor), declared)


def _processor(maker: Any, place: str, name: str) -> Any:
    if not (Path(place) / "preprocessor_config.json").is_file():
        raise InvalidModel(f"{name}: has no preprocessor_config.json; save the processor beside the model")
    try:
        return maker.from_pretrained(place, local_files_only=True, trust_remote_code=False)
    except Exception as problem:
        raise InvalidModel(f"{name}: its processor cannot be read: {_line(problem)}") from problem


def _class_names(config: Any) -> tuple[str, ...] | None:
    names = tuple(str(config.id2label[index]) for index in sorted(config.id2label))
    # Names that the library made up tell less than the data's own.
    return None if all(name == f"LABEL_{index}" for index, name in enumerate(names)) else names


def _imported() -> Any:
    try:
        import transformers  # noqa: PLC0415 - optional, and slow to import
    except ImportError as problem:
        raise MissingExtra("a model of Hugging Face", "hf") from problem
    return transformers


@contextmanager
def _quiet(library: Any) -> Iterator[None]:
    """Keep to itself what the library says and shows while it loads."""
    log = library.utils.logging
    level, shows = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.set_verbosity(level)
        if shows:
            log.enable_progress_bar()


def _line(problem: Exception) -> str:
    return next(iter(str(problem).strip().splitlines()), type(problem).__name__)
