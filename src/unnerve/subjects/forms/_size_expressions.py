"""Sizes as torch.export writes them, ``Mul(Integer(2), Symbol('s77', integer=True))``: it evaluates them as Python."""

import ast
import re

__all__ = ["is_size_expression"]

_SYMBOL = re.compile(r"[a-z]+[0-9]{1,5}", re.ASCII)
_FUNCTIONS = (
    *("Symbol", "Integer", "Float", "Rational", "Add", "Mul", "Pow", "Max", "Min", "Abs", "floor", "ceiling"),
    *("Mod", "PythonMod", "FloorDiv", "CleanDiv", "CeilDiv", "IntTrueDiv", "FloatTrueDiv", "ModularIndexing"),
    *("CeilToInt", "FloorToInt", "TruncToInt", "TruncToFloat", "RoundToInt", "ToFloat", "Where", "Identity"),
    *("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Equality", "Unequality", "StrictLessThan", "LessThan"),
    *("StrictGreaterThan", "GreaterThan", "And", "Or", "Not"),
)
_NAMES = frozenset({*_FUNCTIONS, "oo", "int_oo", "true", "false"})
_PLAIN = (
    *(ast.Expression, ast.Load, ast.UnaryOp, ast.Compare, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.Pow, ast.USub, ast.UAdd, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
# Sizes of real programs are far below; 9**9**9 would keep a processor busy for ever.
_LONGEST, _LARGEST, _HIGHEST = 2000, 2**64, 16


def is_size_expression(text: str) -> bool:
    """Say whether a text is arithmetic on symbols and small numbers, and nothing else."""
    if len(text) > _LONGEST:
        return False
    try:
        return all(_is_allowed(node) for node in ast.walk(ast.parse(text, mode="eval")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def _is_allowed(node: ast.AST) -> bool:
    """Say whether a node may stand in a size, whatever stands below it."""
    match node:
        case ast.Name(id=name):
            allowed = name in _NAMES or bool(_SYMBOL.fullmatch(name))
        case ast.Constant(value=str() as text):
            allowed = bool(_SYMBOL.fullmatch(text))
        case ast.Constant(value=int() | float() as number):
            allowed = abs(number) <= _LARGEST
        case ast.keyword(value=ast.Constant(value=bool())):
            allowed = True
        case ast.Call(func=ast.Name(id="Pow"), args=[_, power]) | ast.BinOp(op=ast.Pow(), right=power):
            allowed = _is_small(power)
        case ast.Call(func=ast.Name(id=name)):
            allowed = name in _FUNCTIONS and name != "Pow"
        case _:
            allowed = isinstance(node, (*_PLAIN, ast.BinOp))
    return allowed


def _is_small(node: ast.expr) -> bool:
    """Say whether an exponent is a small number: towers of powers would never end."""
    match node:
        case ast.Call(func=ast.Name(id="Integer"), args=[inner]) | ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_small(inner)
        case ast.Constant(value=int() as number):
            return abs(number) <= _HIGHEST
    return False
