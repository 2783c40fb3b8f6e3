"""The figures of a test of defences as a file, and beside it the weights of the models that were trained."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unnerve.core.model import Classifier
from unnerve.core.storage.files import whole_file
from unnerve.subjects.adapters.torch_module import TorchModule
from unnerve.subjects.weights import save_weights

__all__ = ["write_figures"]


def write_figures(figures: Mapping[str, Any], hardened: Mapping[str, Classifier], out: Path) -> dict[str, Any]:
    """Write figures with the names of the files of weights, and return them so.

    Parameters
    ----------
    figures : dict
    hardened : dict of str to Classifier
        Hardened models by their defences; those that are no modules of torch have no weights to write.
    out : Path
        The .json file; weights are beside it, as ``FILE-DEFENCE.safetensors``.
    """
    names = {
        text: f"{out.stem}-{re.sub(r'[^A-Za-z0-9_.=-]+', '-', text)}.safetensors"
        for text, model in hardened.items()
        if isinstance(model, TorchModule)
    }
    for text, name in names.items():
        model = hardened[text]
        assert isinstance(model, TorchModule)
        save_weights(model.module, out.with_name(name), {"defence": text})
    written = {**figures, "weights": names}
    # Last: who reads the figures finds the weights that they name.
    with whole_file(out) as part:
        part.write_text(json.dumps(written, indent=1, allow_nan=False) + "\n")
    return written
