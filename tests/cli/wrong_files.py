"""Files that nobody should have: each function fills a folder with one kind of wrong input."""

import json
import os
import zipfile
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import torch
from PIL import Image
from sklearn.tree import DecisionTreeClassifier
from torch import nn

from unnerve.campaign.sealing.header import FORMAT

__all__ = ["make_wrong_files"]

NETS = """
import numpy as np
import torch
from torch import nn

class Needy(nn.Module):
    def __init__(self, width):
        super().__init__()

def needs_width(width): return nn.Linear(width, 10)
def nothing(): return None
def raises(): raise ValueError("no weights today")
def nan(x): return np.full((len(x), 10), np.nan)
def three(x): return np.zeros((len(x), 2, 2), dtype=np.float32)
def halves(x): return np.full((len(x), 10), 0.5, dtype=np.float32)
def ten(x): return np.full((len(x), 10), 0.1, dtype=np.float32)
three_channels = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.LazyLinear(10))
four = nn.Sequential(nn.Flatten(), nn.Linear(784, 4))
"""


def make_wrong_files(folder: Path) -> None:
    """Fill a folder: ``nets.py``, damaged archives, tables, images and campaigns."""
    (folder / "nets.py").write_text(NETS)
    (folder / "broken.py").write_text("def build(:\n")
    (folder / "net.safetensors").write_bytes(b"\xff" * 64)
    (folder / "weights.pt").write_bytes(b"PK\x03\x04 and no more")
    (folder / "cut.npz").write_bytes(b"PK\x03\x04 and no more")
    x = np.zeros((4, 28, 28), dtype=np.float32)
    np.savez(folder / "nan.npz", x=np.where(np.arange(4)[:, None, None] == 2, np.nan, x), y=np.zeros(4, dtype=int))
    np.savez(folder / "huge.npz", x=x, y=np.full(4, 10**10))
    np.savez(folder / "twelve.npz", x=x, y=np.array([0, 3, 12, 1]))
    np.savez(folder / "words.npz", x=np.array([["a", "b"]]))
    np.savez(folder / "five.npz", x=x, y=np.zeros(5, dtype=int))
    np.savez(folder / "empty.npz", x=x[:0])
    np.savez(folder / "wide.npz", x=x + 300)
    np.savez(folder / "splits.npz", x_train=x, x_test=x)
    for suffix in ("onnx", "pt2", "skops"):
        (folder / f"net.{suffix}").write_bytes(b"nothing of the kind")
    torch.save(nn.Linear(2, 2), folder / "whole.pt")
    people = pd.DataFrame({"age": [20.0, 30.0], "size": [1.7, 1.8], "label": [0, 1]})
    people.to_csv(folder / "people.csv", index=False)
    known = people.rename(columns={"size": "income"})[["age", "income"]]
    joblib.dump(DecisionTreeClassifier().fit(known, people.label), folder / "people.joblib")
    _bomb(folder / "bomb.npz")
    for name in ("pipe", "giant", "table", "text"):
        (folder / name / "a").mkdir(parents=True)
    os.mkfifo(folder / "pipe" / "a" / "x.png")
    Image.new("1", (20_000, 10_000)).save(folder / "giant" / "a" / "x.png")
    (folder / "text" / "a" / "x.png").write_text("no image")
    (folder / "table" / "a").rmdir()
    Image.new("L", (28, 28)).save(folder / "table" / "x.png")
    (folder / "table" / "labels.csv").write_text("file,class_index\nx.png,10000000000\n")
    _campaign(folder / "no-number", json.dumps({"format": FORMAT, "plan": {"seeds": float("nan")}}))
    _campaign(folder / "no-json", "{")
    facts = {"methods": [], "region": {"value_range": [0, 10**400]}}
    _campaign(folder / "long-number", json.dumps({"format": FORMAT, "plan": {**facts, "facts": facts}}))
    _campaign(folder / "large-number", f'{{"format": {FORMAT}, "plan": {{"queries": 1e400}}}}')
    _campaign(folder / "large-format", '{"format": 1e400}')
    (folder / "saved").mkdir()
    (folder / "saved" / "data-0.arrow").write_bytes(b"ARROW1 and no more")
    (folder / "saved" / "state.json").write_text('{"_data_files": [{"filename": "data-0.arrow"}]}')
    (folder / "saved" / "dataset_info.json").write_text("{}")
    (folder / "waits").mkdir()
    os.mkfifo(folder / "waits" / "campaign.json")
    os.mkfifo(folder / "pipe.npz")
    (folder / "file").write_text("not a folder")


def _bomb(path: Path) -> None:
    """Write an npz file of 100 kB whose array says, truthfully, that it unpacks to 5 GB."""
    head = np.lib.format.header_data_from_array_1_0(np.zeros((1, 28, 28), dtype=np.uint8))
    head["shape"] = (6_400_000, 28, 28)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("x.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array_header_1_0(member, head)
            member.write(bytes(2**20))
        file.filelist[0].file_size = 128 + 6_400_000 * 784
        file.NameToInfo["x.npy"].file_size = 128 + 6_400_000 * 784


def _campaign(folder: Path, header: str) -> None:
    folder.mkdir()
    (folder / "campaign.json").write_text(header)
