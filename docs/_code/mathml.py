"""The little TeX of our formulas as MathML, which browsers draw without a script."""

import re
from html import escape

__all__ = ["mathml"]

_SIGNS = {
    "ge": "≥",
    "le": "≤",
    "dots": "…",
    "Delta": "Δ",
    "Sigma": "Σ",
    "xi": "ξ",
    "cdot": "·",
    "propto": "∝",
    "sum": "∑",
    "quad": "\u2003",
    "phi": "φ",
    "exists": "∃",
    "in": "∈",
    "bigcup": "⋃",
    "ne": "≠",
    "kappa": "κ",
    "lambda": "λ",
    "approx": "≈",
    "partial": "∂",
    "varphi": "ϕ",
    "tau": "τ",
    "eta": "η",
    "neq": "≠",
    "int": "∫",
    "emptyset": "∅",
    "ni": "∋",
    "nabla": "∇",
    "sigma": "σ",
    "mu": "μ",
    "alpha": "α",
    "beta": "β",
    "epsilon": "ε",
    "psi": "ψ",
    "subseteq": "⊆",
    "setminus": "∖",
    "times": "×",
    "infty": "∞",
    "mid": "|",
    "odot": "⊙",
    "|": "‖",
    ",": "\u2009",
    ";": "\u2004",
    ":": "\u2005",
    "!": "",
    "{": "{",
    "}": "}",
}
_WORDS = {"log", "ln", "exp", "max", "min", "arg"}
_LARGE = {r"\sum", r"\max", r"\min", r"\bigcup"}
_ABOVE = {r"\bar": "¯", r"\overline": "‾", r"\dot": "˙", r"\hat": "^"}
_HOLDING = {r"\frac": ("mfrac", 2), r"\tfrac": ("mfrac", 2), r"\sqrt": ("msqrt", 1)}
_SIZES = {r"\left", r"\right", r"\big", r"\Big"}  # a browser finds the size of a bracket by itself
_GAP = '<mspace width="0.17em"/>'
_TOKEN = re.compile(r"\\[A-Za-z]+|\\[{}|,;:!]|\d+(?:\.\d+)?|[^\s]")


def mathml(tex: str, block: bool = True) -> str:
    """Return a formula as a ``math`` element; a command that is not known is an error, so that none is shown wrong."""
    tokens = _TOKEN.findall(tex)
    parts = []
    while tokens:
        parts.append(_scripted(tokens))
    form = ' display="block"' if block else ""
    return f"<math{form}><mrow>{''.join(parts)}</mrow></math>"


def _scripted(tokens: list[str]) -> str:
    """Take an atom with what stands below and above it."""
    first = tokens[0]
    atom, marks = _atom(tokens), {}
    while tokens and tokens[0] in "_^":
        place = tokens.pop(0)
        marks[place] = _atom(tokens)
    if marks:
        kind = ("munder", "mover", "munderover") if first in _LARGE else ("msub", "msup", "msubsup")
        tag = kind[2] if len(marks) == 2 else kind["^" in marks]
        atom = f"<{tag}>{atom}{marks.get('_', '')}{marks.get('^', '')}</{tag}>"
    return f"{_GAP}{atom}{_GAP}" if first.removeprefix("\\") in _WORDS else atom


def _atom(tokens: list[str]) -> str:
    token = tokens.pop(0)
    if token == "{":  # noqa: S105 - a brace, not a password
        return _group(tokens)
    if token in _HOLDING:
        tag, count = _HOLDING[token]
        return f"<{tag}>{''.join(_atom(tokens) for _ in range(count))}</{tag}>"
    if token in _ABOVE:
        return f"<mover>{_atom(tokens)}<mo>{_ABOVE[token]}</mo></mover>"
    if token in _SIZES:
        return _atom(tokens)
    if token == r"\mathrm":  # noqa: S105
        tokens.pop(0)
        letters = ""
        while (letter := tokens.pop(0)) != "}":
            letters += letter
        return f'<mi mathvariant="normal">{escape(letters)}</mi>'
    return _sign(token)


def _group(tokens: list[str]) -> str:
    parts = []
    while tokens[0] != "}":
        parts.append(_scripted(tokens))
    tokens.pop(0)
    return f"<mrow>{''.join(parts)}</mrow>"


def _sign(token: str) -> str:
    name = token.removeprefix("\\")
    if token != name and name in _WORDS:
        return f'<mi mathvariant="normal">{name}</mi>'
    if token != name:
        return f"<mo>{_SIGNS[name]}</mo>"
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{token}</mi>" if token.isalpha() else f'<mo stretchy="false">{escape(token.replace("-", "−"))}</mo>'
