"""How images of any size are brought to one."""

from dataclasses import dataclass

from PIL import Image

from unnerve.core.errors import InvalidSetting

__all__ = ["Resizing"]

_WAYS = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}


@dataclass(frozen=True)
class Resizing:
    """Resize and crop, as networks for ImageNet expect it.

    Parameters
    ----------
    size : int or None
        Height and width of the result; None leaves images as they are.
    crop : float or None
        In (0, 1]: the short side is resized to size / crop, then the centre is cut out. With None the whole image is
        squeezed into size x size, whatever its proportions.
    interpolation : str
        ``nearest``, ``bilinear``, ``bicubic`` or ``lanczos``.
    """

    size: int | None = None
    crop: float | None = 0.875
    interpolation: str = "bicubic"

    def __post_init__(self) -> None:
        if self.size is not None and self.size < 1:
            raise InvalidSetting(f"size must be >= 1, got {self.size}")
        if self.crop is not None and not 0 < self.crop <= 1:
            raise InvalidSetting(f"crop must be in (0, 1], or none, got {self.crop}")
        if self.interpolation not in _WAYS:
            raise InvalidSetting(f"interpolation must be {', '.join(_WAYS)}, got '{self.interpolation}'")

    def fitted(self, image: Image.Image) -> Image.Image:
        """Return an image of size x size, or the image itself if there is no size."""
        if self.size is None:
            return image
        way = _WAYS[self.interpolation]
        if image.mode in {"1", "P", "PA"}:  # Pillow would not interpolate these
            image = image.convert("L" if image.mode == "1" else "RGBA")
        if self.crop is None:
            return image.resize((self.size, self.size), way)
        scale = self.size / self.crop / min(image.size)
        # Rounding down must not make a side shorter than the crop.
        width, height = (max(self.size, round(side * scale)) for side in image.size)
        left, top = (width - self.size) // 2, (height - self.size) // 2
        return image.resize((width, height), way).crop((left, top, left + self.size, top + self.size))
