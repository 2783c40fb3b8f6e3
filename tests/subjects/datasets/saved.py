"""Folders as ``save_to_disk`` of Hugging Face's ``datasets`` (2.x to 5.x) writes them, made with pyarrow alone."""

import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from PIL import Image

__all__ = ["PIXELS", "saved", "saved_images", "saved_splits"]

PIXELS = np.random.default_rng(0).integers(0, 256, (7, 6, 5), dtype=np.uint8)
NAMES = ["cat", "dog", "eel"]


def saved(folder: Path, columns: Mapping[str, Any], features: Mapping[str, Any], files: int = 1) -> Path:
    """Write columns, in so many files, with a description of them."""
    folder.mkdir(parents=True)
    table = pa.table(dict(columns))
    names = [f"data-{number:05d}-of-{files:05d}.arrow" for number in range(files)]
    cuts = np.linspace(0, len(table), files + 1).astype(int).tolist()
    for name, start, stop in zip(names, cuts, cuts[1:], strict=False):
        with pa.OSFile(str(folder / name), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table.slice(start, stop - start))
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": dict(features)}))
    return folder


def saved_images(folder: Path, count: int = 7, files: int = 1) -> Path:
    """Write grey images of 5x6 pixels, of three classes."""
    cells = [{"bytes": _png(pixels), "path": None} for pixels in PIXELS[:count]]
    column = pa.array(cells, pa.struct([("bytes", pa.binary()), ("path", pa.string())]))
    features = {"image": {"_type": "Image"}, "label": {"names": NAMES, "_type": "ClassLabel"}}
    return saved(folder, {"image": column, "label": [row % 3 for row in range(count)]}, features, files)


def saved_splits(folder: Path, **counts: int) -> Path:
    """Write a dict of data sets, each with so many images."""
    folder.mkdir()
    (folder / "dataset_dict.json").write_text(json.dumps({"splits": list(counts)}))
    for name, count in counts.items():
        saved_images(folder / name, count)
    return folder


def _png(pixels: np.ndarray) -> bytes:
    kept = io.BytesIO()
    Image.fromarray(pixels).save(kept, "png")
    return kept.getvalue()
