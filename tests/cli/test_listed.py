"""Help names the methods that there are, and nobody keeps a list of them."""

import pytest

from unnerve.cli import _listed
from unnerve.cli.main import main
from unnerve.core.naming import catalogue
from unnerve.subjects.datasets._official import SOURCES

LISTS = {
    "rank": ("score", "order", "perturbation"),
    "hunt": ("hunter", "region", "oracle", "coverage"),
    "arena": ("hunter",),
    "map": ("hunter",),
    "cover": ("coverage",),
    "react": ("reaction",),
    "defend": ("defence", "transform"),
    "harden": ("repair", "hunter"),
    "score": ("robustness measure", "hunter", "region"),
    "train": ("zoo model", "fault"),
    "reproduce": ("paper",),
}


def test_a_kind_in_braces_gives_way_to_its_methods() -> None:
    assert _listed.listed("all, or {fault}: {}") == "all, or overfitted, polluted, underfitted: {}"


@pytest.mark.parametrize("verb", LISTS)
def test_help_names_every_method_of_a_kind(
    verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # A plugin of every kind, which no text can know.
    monkeypatch.setattr(catalogue, "_plugins", lambda kind: {f"fresh_{kind.replace(' ', '_')}": None})
    catalogue.names.cache_clear()
    try:
        assert main([verb, "--help"]) == 0
        shown = capsys.readouterr().out
        words = " ".join(shown.split())
        for kind in LISTS[verb]:
            assert ", ".join(catalogue.names(kind)) in words
            assert f"fresh_{kind.replace(' ', '_')}" in words
        assert "{" not in shown.partition("Arguments:")[2]
    finally:
        catalogue.names.cache_clear()


def test_help_names_the_data_that_can_be_fetched(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["download", "--help"]) == 0
    assert ", ".join(SOURCES) in capsys.readouterr().out
