"""A session with a Ray cluster: joined or started, and left as if nothing had happened."""

import logging
import os
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from unnerve.core.errors import InvalidSetting

__all__ = ["imported", "session"]


def imported() -> Any:
    """Return the package, or say how to get it."""
    # Processors of other kinds stay visible to workers that did not ask for them: a model may live there.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    try:
        with _warnings_ignored():
            import ray  # noqa: PLC0415 - optional, and slow to import
    except ImportError as problem:
        raise InvalidSetting("--engine ray needs Ray: pip install 'unnerve[ray]'") from problem
    return ray


@contextmanager
def session(ray: Any, address: str | None, workers: int | None) -> Iterator[bool]:
    """Connect to a cluster, or start one on this machine, unless that is done already; yield whether it was started.

    What was connected or started here is ended with the context; a connection that the caller had stays.
    """
    if ray.is_initialized():
        yield False
        return
    with _logging_kept(), _output_kept():
        try:
            with _signals_kept(), _warnings_ignored():
                _begin(ray, address, workers)
            yield address is None
        finally:
            with _warnings_ignored():
                ray.shutdown()


def _begin(ray: Any, address: str | None, workers: int | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        if address is None:
            ray.init("local", num_cpus=workers, include_dashboard=False, **quiet)
        else:
            ray.init(address, **quiet)
    except Exception as problem:
        what = "started here" if address is None else f"reached at '{address}'"
        line = next(iter(str(problem).strip().splitlines()), type(problem).__name__)
        raise InvalidSetting(f"no Ray cluster could be {what}: {line}") from problem


@contextmanager
def _warnings_ignored() -> Iterator[None]:
    """Keep to itself what Ray says about its own future, and about what it leaves to the garbage collector."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextmanager
def _signals_kept() -> Iterator[None]:
    """Give back the handler of SIGTERM, which Ray replaces: ending is the caller's business."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        with suppress(TypeError):  # a handler that was not made in Python cannot be set from it
            signal.signal(signal.SIGTERM, before)


@contextmanager
def _output_kept() -> Iterator[None]:
    """Log what Ray prints when a worker dies: standard output belongs to the caller, who may have promised JSON."""
    from ray._private import worker  # noqa: PLC0415 - there is no public way to say so

    printing = getattr(worker, "print_to_stdstream", None)
    if printing is None:
        yield
        return
    worker.print_to_stdstream = lambda news, *_, **__: logging.getLogger("ray").info("%s", news)
    try:
        yield
    finally:
        worker.print_to_stdstream = printing


@contextmanager
def _logging_kept() -> Iterator[None]:
    """Give back Ray's logger as it was."""
    logger = logging.getLogger("ray")
    level, propagate, handlers = logger.level, logger.propagate, list(logger.handlers)
    try:
        yield
    finally:
        logger.setLevel(level)
        logger.propagate = propagate
        logger.handlers[:] = handlers
