"""Folders of images: decoding in several threads against one, and the memory of a large folder."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from benchmarks.memory import measured
from benchmarks.pairs import one_thread, ratio
from unnerve.subjects.datasets.imagefolder import imagefolder

_FOLDER = """
import sys
from unnerve.studies.rank.rank import rank
ranking = rank("zoo:lenet1", f"imagefolder:{sys.argv[1]},size=28,grey=true")
assert len(ranking) == 100_000
"""


def threads_ratio() -> float:
    """Throughput of decoding, resizing and cropping photos in as many threads as there are processors, over one."""
    with _photos(400, (320, 256)) as folder:
        photos = imagefolder(folder, size=224, grey=False)

        def decoded() -> None:
            photos.source.read(range(len(photos)))

        def decoded_alone() -> None:
            with one_thread():
                decoded()

        before = torch.get_num_threads()
        torch.set_num_threads(len(os.sched_getaffinity(0)))
        try:
            return ratio(decoded, decoded_alone)
        finally:
            torch.set_num_threads(before)


def folder_gigabytes() -> float:
    """Peak memory, in GiB, of ranking 100,000 photos of 80x64 pixels from a folder in a process of its own."""
    with _photos(100_000, (80, 64)) as folder:
        return measured(_FOLDER, str(folder), str(folder))[-1]


@contextmanager
def _photos(count: int, size: tuple[int, int]) -> Iterator[Path]:
    """Make a folder of so many JPEG files, of which a hundred differ; the others are further names of those."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        for number in range(count):
            path = folder / f"{number:06}.jpg"
            if number < 100:
                coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
                coarse.resize(size, Image.Resampling.BICUBIC).save(path, quality=90)
            else:
                path.hardlink_to(folder / f"{number % 100:06}.jpg")
        yield folder
