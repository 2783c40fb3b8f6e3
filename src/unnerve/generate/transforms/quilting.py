"""Image quilting as a defence (Guo et al., ICLR 2018; Efros and Freeman, SIGGRAPH 2001)."""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor
from torch.nn.functional import fold, unfold

from unnerve.core.data.conversion import converted
from unnerve.core.data.examples import Examples
from unnerve.core.data.ranges import UNIT
from unnerve.core.errors import InvalidSetting
from unnerve.core.streams import Streams
from unnerve.generate.transforms._random_rows import check_images
from unnerve.subjects.data import examples

__all__ = ["Quilting"]


@dataclass(frozen=True)
class Quilting:
    """Put every image together anew from patches of clean images: the nearest to each of its own patches.

    Parameters
    ----------
    data : str
        Where the patches come from, as DATA on the command line; held-out inputs in ``unnerve defend`` if empty.
    patch : int
        Side of a patch, >= 2.
    overlap : int
        Rows and columns that neighbours share, in ``[0, patch)``.
    patches : int
        Most patches that are kept, >= 1; as published a million.

    References
    ----------
    Guo et al., "Countering Adversarial Images using Input Transformations", 2018.
    """

    # Differs: where patches overlap they are averaged; Guo et al. cut along the line where they differ least.
    data: str = ""
    patch: int = 5
    overlap: int = 2
    patches: int = 20_000
    bank: Tensor | None = field(default=None, metadata={"setting": False}, compare=False, repr=False)
    source: str = field(default="", metadata={"setting": False}, compare=False, repr=False)
    images: int = field(default=0, metadata={"setting": False}, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.patch < 2:
            raise InvalidSetting(f"patch must be >= 2, got {self.patch}")
        if not 0 <= self.overlap < self.patch:
            raise InvalidSetting(f"overlap must be in [0, {self.patch}), got {self.overlap}")
        if self.patches < 1:
            raise InvalidSetting(f"patches must be >= 1, got {self.patches}")
        if self.data and self.bank is None:
            known = self.learnt(examples(self.data))
            for name in ("bank", "source", "images"):
                object.__setattr__(self, name, getattr(known, name))

    @property
    def untaught(self) -> bool:
        """Whether it has no patches yet."""
        return self.bank is None

    @property
    def knowledge(self) -> dict[str, object]:
        """What it learnt: the name of the data, how many images of it were cut up, and how many patches were kept."""
        kept = 0 if self.bank is None else len(self.bank)
        return {"source": self.source, "images": self.images, "patches_kept": kept}

    def learnt(self, clean: Examples) -> "Quilting":
        """Return the same with patches of clean inputs, drawn from all of their places alike."""
        batch = clean.batch(range(min(len(clean), 2000)))
        check_images("quilting", batch.inputs)
        # Torch's own error names a tensor and no setting.
        for side in batch.inputs.shape[-2:]:
            self._places(side)
        unit = converted(batch.inputs, clean.value_range, UNIT)
        all_ = unfold(unit, self.patch).transpose(1, 2).flatten(0, 1)
        chosen = Streams(0, ["quilting"]).permutations(0, 0, len(all_))[0][: self.patches]
        return replace(self, bank=all_[chosen].clone(), source=clean.name, images=len(batch))

    def __call__(self, x: Tensor) -> Tensor:
        """Quilt images, shape (N, C, H, W) in [0, 1]."""
        check_images("quilting", x)
        if self.bank is None:
            raise InvalidSetting("quilting has no patches yet; name data to take them from: quilting:data=DATA")
        if self.bank.shape[1] != x.shape[1] * self.patch**2:
            raise InvalidSetting(f"patches of quilting must have {x.shape[1]} channels, as the images")
        height, width = x.shape[-2:]
        tops, lefts = (self._places(side) for side in (height, width))
        own = unfold(x, self.patch).view(len(x), -1, height - self.patch + 1, width - self.patch + 1)
        own = own[:, :, tops][:, :, :, lefts]
        flat = own.flatten(2).transpose(1, 2).reshape(-1, own.shape[1])
        nearest = torch.cat([self.bank[torch.cdist(part, self.bank).argmin(dim=1)] for part in flat.split(512)])
        wanted = nearest.view(len(x), len(tops), len(lefts), -1).permute(0, 3, 1, 2)
        return self._joined(wanted, tops, lefts, height, width)

    def _places(self, side: int) -> list[int]:
        if side < self.patch:
            raise InvalidSetting(f"patch must be <= {side}, the side of the images, got {self.patch}")
        step = self.patch - self.overlap
        # The last patch ends with the image, however that divides.
        return [*range(0, side - self.patch, step), side - self.patch]

    def _joined(self, patches: Tensor, tops: list[int], lefts: list[int], height: int, width: int) -> Tensor:
        """Return images from patches (N, C * patch * patch, rows, columns), averaged where they overlap."""
        shape = (height - self.patch + 1, width - self.patch + 1)
        full, used = patches.new_zeros(*patches.shape[:2], *shape), patches.new_zeros(1, patches.shape[1], *shape)
        rows, columns = torch.tensor(tops).unsqueeze(1), torch.tensor(lefts)
        full[:, :, rows, columns] = patches
        used[:, :, rows, columns] = 1
        total, times = (fold(one.flatten(2), (height, width), self.patch) for one in (full, used))
        return total / times
