"""The summary of tries: what was tried, how often, and how much of it failed, also where a test counts by itself."""

import pytest

from tests import tries

pytest_plugins = ("pytester",)

INI = """
[pytest]
markers = tried(what): tries something
"""
TESTS = """
import pytest

@pytest.mark.tried("files")
def test_many_tries(tries):
    tries.made = 1200

@pytest.mark.tried("files")
def test_two_of_five_tries(tries):
    tries.made, tries.failed = 5, 2
    assert tries.failed == 0

@pytest.mark.tried("files")
def test_fails_after_one_sound_try(tries):
    tries.made = 1
    raise ValueError

@pytest.mark.tried("files")
def test_fails_before_its_first_try(tries):
    raise ValueError

@pytest.mark.tried("commands")
@pytest.mark.parametrize("number", range(3))
def test_counts_as_one(number):
    assert number

@pytest.mark.tried("skipped")
def test_skips(tries):
    pytest.skip("not here")

@pytest.fixture
def broken():
    raise ValueError

@pytest.mark.tried("never begun")
def test_never_begins(broken):
    pass

def test_tries_nothing():
    assert False
"""


@pytest.fixture
def inner(pytester: pytest.Pytester) -> pytest.Pytester:
    """Return a folder of tests of its own, with the summary of tries and nothing else of ours."""
    pytester.makeini(INI)
    pytester.makeconftest(
        f"from {tries.__name__} import {', '.join(name for name in tries.__all__ if name != 'Tries')}"
    )
    return pytester


def test_tries_and_failures_are_counted_by_kind(inner: pytest.Pytester) -> None:
    inner.makepyfile(TESTS)
    done = inner.runpytest_inprocess("-q", "-p", "no:xdist", "-p", "no:cacheprovider")
    done.assert_outcomes(passed=3, failed=5, skipped=1, errors=1)
    told = [line for line in done.outlines if " tried, " in line or "tries and failures" in line]
    assert [line.strip("= ") for line in told] == [
        "tries and failures",
        "commands: 3 tried, 1 failed",
        "files: 1,207 tried, 4 failed",
    ]


def test_nothing_is_said_where_nothing_was_tried(inner: pytest.Pytester) -> None:
    inner.makepyfile("def test_plain():\n    pass\n")
    assert "tries and failures" not in inner.runpytest_inprocess("-p", "no:xdist").stdout.str()
