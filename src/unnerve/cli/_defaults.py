"""Options that a working folder sets for itself: ``[defaults]`` of unnerve.toml, or ``[tool.unnerve.defaults]``."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from unnerve.core.errors import InvalidSetting, UnknownName
from unnerve.core.storage.limits import TEXT

__all__ = ["default_texts", "default_words", "has_defaults"]

_FILES = {"unnerve.toml": ("defaults",), "pyproject.toml": ("tool", "unnerve", "defaults")}
_TYPED = ("trust", "help")
"""What nobody may decide for the user who has come into a folder."""


def default_words(words: Sequence[str], verbs: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the file whose defaults apply to a command line, and the words that they add to it.

    Parameters
    ----------
    words : sequence of str
        As typed; what they set is not added again.
    verbs : dict of str to click's Command
    """
    # Only options without a value may stand before the verb, so the first other word is it.
    verb = next((word for word in words if not word.startswith("-")), "")
    # Help shall be shown as it is in any folder, also where the file with defaults is broken.
    if verb not in verbs or "--help" in words or "-h" in words:
        return "", []
    file, given = _given()
    options = {name: _options(command) for name, command in verbs.items()}
    general, own = _sorted_out(file, given, options)
    wanted = {**{key: value for key, value in general.items() if key in options[verb]}, **own.get(verb, {})}
    added: list[str] = []
    for key, value in wanted.items():
        name = f"--{key}"
        # What is typed wins, in either spelling: --limit 5 and --limit=5.
        if not any(word == name or word.startswith(f"{name}=") for word in words):
            added += _words(f"{file}: {key}", name, value, is_flag=options[verb][key].is_flag)
    return file, added


def has_defaults() -> bool:
    """Say whether the working folder sets options that can be read."""
    try:
        return bool(_given()[1])
    except InvalidSetting:
        return False


def default_texts() -> list[str]:
    """Return all texts among the defaults of the working folder; none where they cannot be read."""
    try:
        return list(_texts(_given()[1]))
    except InvalidSetting:
        return []


def _given() -> tuple[str, dict[str, Any]]:
    """Return the first file that has defaults, and them."""
    for name, keys in _FILES.items():
        path = Path(name)
        if not path.is_file():
            continue
        # The file lies in whatever folder the user is in, and may be a stranger's.
        if path.stat().st_size > TEXT:
            raise InvalidSetting(f"{name} must have <= {TEXT:,} bytes, got {path.stat().st_size:,}")
        try:
            table: Any = tomllib.loads(path.read_text(encoding="utf-8"))
        except (ValueError, OSError, RecursionError) as problem:
            raise InvalidSetting(f"{name} cannot be read: {problem}") from problem
        for key in keys:
            table = table.get(key, {}) if isinstance(table, dict) else {}
        if table:
            return name, _table(name, table)
    return "", {}


def _table(name: str, table: Any) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise InvalidSetting(f"{name}: defaults must be a table")
    return {str(key).replace("_", "-"): value for key, value in table.items()}


def _sorted_out(
    file: str, given: Mapping[str, Any], options: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return what is set for all verbs, and for single ones; raise if there is no such option."""
    own = {verb: _table(file, table) for verb, table in given.items() if isinstance(table, dict)}
    general = {key: value for key, value in given.items() if key not in own}
    for verb, table in own.items():
        if verb not in options:
            raise UnknownName(f"verb in the defaults of {file}", verb, options)
        _check_known(f"option of {verb} in the defaults of {file}", table, options[verb])
    everywhere = {key: one for table in options.values() for key, one in table.items()}
    _check_known(f"option in the defaults of {file}", general, everywhere)
    return general, own


def _check_known(what: str, given: Mapping[str, Any], known: Mapping[str, Any]) -> None:
    for key in given:
        if key in _TYPED:
            raise InvalidSetting(f"--{key} must be typed, and cannot be a default")
        if key not in known:
            raise UnknownName(what, key, known)


def _options(command: Any) -> dict[str, Any]:
    """Return the options of a verb by their long names, without dashes."""
    return {word.removeprefix("--"): one for one in command.params for word in one.opts if word.startswith("--")}


def _words(where: str, name: str, value: Any, is_flag: bool) -> list[str]:
    # A text given to a switch would be taken for the next argument.
    if is_flag != isinstance(value, bool):
        raise InvalidSetting(f"{where} must be {'true or false' if is_flag else 'a text or a number'}, got {value!r}")
    if is_flag:
        return [name] if value else []
    values = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str | int | float) for one in values):
        raise InvalidSetting(f"{where} must be a text, a number or a list of them, got {value!r}")
    return [name, ",".join(map(str, values))]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)
