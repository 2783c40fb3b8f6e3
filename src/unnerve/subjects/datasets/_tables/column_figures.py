"""What is known of a column after some of its values."""

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from unnerve.core.data.features import Feature

__all__ = ["ColumnFigures"]


@dataclass(eq=False)
class ColumnFigures:
    """Least and largest value, mean, sum of squared deviations, whether all are whole, and the codes of texts."""

    low: float = np.inf
    high: float = -np.inf
    count: int = 0
    mean: float = 0.0
    deviations: float = 0.0
    whole: bool = True
    codes: dict[str, int] = field(default_factory=dict)
    ordered: bool = False

    def note(self, values: np.ndarray) -> None:
        """Take in some values, float64 (n,) (Chan, Golub and LeVeque, 1983)."""
        count, mean = len(values), float(values.mean())
        apart, both = mean - self.mean, self.count + count
        self.deviations += float(np.square(values - mean).sum()) + apart**2 * self.count * count / both
        self.mean, self.count = self.mean + apart * count / both, both
        # As inputs are rounded, so that none lies outside.
        self.low = min(self.low, float(np.float32(values.min())))
        self.high = max(self.high, float(np.float32(values.max())))
        self.whole = self.whole and bool((values == np.rint(values)).all())

    def coded(self, texts: pa.Array) -> np.ndarray:
        """Return codes of texts, float64 (n,), in the order in which the texts came; see :meth:`final_codes`."""
        texts = texts if pa.types.is_dictionary(texts.type) else texts.dictionary_encode()
        known = texts.dictionary.to_pylist()
        for text in known:
            self.codes.setdefault(text, len(self.codes))
        codes: np.ndarray = np.array([self.codes[text] for text in known], dtype=float)[texts.indices.to_numpy()]
        return codes

    def final_codes(self) -> np.ndarray:
        """Return the final code of each code that was given out: by the order of the type, or else of the alphabet."""
        final = {name: code for code, name in enumerate(self._names())}
        return np.array([final[name] for name in self.codes], dtype=np.float32)

    def feature(self, name: str, kind: str) -> Feature:
        """Return what is known."""
        low, high = (0.0, len(self.codes) - 1.0) if self.codes else (self.low, self.high)
        spread = float(np.sqrt(self.deviations / max(1, self.count)))
        return Feature(name, kind, low, high, spread, self._names())

    def _names(self) -> tuple[str, ...]:
        return tuple(self.codes) if self.ordered else tuple(sorted(self.codes))
