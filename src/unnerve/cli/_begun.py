"""What every verb has around it: a start that Ctrl-C may end, and errors of the environment in one line."""

import functools
import logging
import re
from collections.abc import Callable
from typing import Any

from unnerve.cli._interrupt import raising
from unnerve.cli._output import claim_output
from unnerve.cli._session import session
from unnerve.core.errors import InvalidModel, UserError, raised

__all__ = ["begun"]

_NO_MEMORY = re.compile(r"can't allocate memory|out of memory|bad_alloc", re.IGNORECASE)


def begun(verb: Callable[..., None]) -> Callable[..., None]:
    """Return a verb that may be interrupted, and that raises errors of the system as errors of the user."""

    @functools.wraps(verb)
    def command(**values: Any) -> None:
        import torch  # noqa: F401 - most of the start: until here an interrupt ends the process at once

        if not session().verbose:  # torch logs with the places of its own source
            logging.getLogger("torch").setLevel(logging.ERROR)
        raising()
        # Before the verb: a model may print while it is opened, and --json promises one object on standard output.
        claim_output()
        try:
            verb(**values)
        except SystemExit as problem:  # nothing that our own code raises: a method from somebody's file did
            raise InvalidModel(f"the code under test raised {raised(problem)}") from problem
        except (OSError, MemoryError, RuntimeError) as problem:
            said = _of_the_environment(problem)
            if said is None:
                raise
            raise UserError(said) from problem

    return command


def _of_the_environment(problem: Exception) -> str | None:
    """Say what the system refused; None if the error is another one."""
    if isinstance(problem, MemoryError) or _NO_MEMORY.search(str(problem)):
        return f"not enough memory: {str(problem) or 'the system has no more'}"
    if isinstance(problem, OSError):
        place = f"{problem.filename}: " if problem.filename is not None else ""
        return f"{place}{problem.strerror or problem}"
    return None
