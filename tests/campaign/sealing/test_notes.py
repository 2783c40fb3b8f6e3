"""What was worked out from a campaign is under a seal, too."""

import json
import os
from pathlib import Path

import pytest

from tests.tries import Tries
from unnerve.campaign._folder import Folder
from unnerve.campaign.sealing.notes import DamagedNote, read_note, remade_note, write_note

NOTE = {"changed": 0.25, "reason": None, "seeds": {"7": (1, 2)}}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    made = Folder(str(tmp_path))
    write_note(made, "plan", "stability", NOTE)
    return made


def test_what_was_noted_comes_back(folder: Folder) -> None:
    assert read_note(folder, "plan", "stability") == {**NOTE, "seeds": {"7": [1, 2]}}
    assert read_note(folder, "plan", "limits") is None


@pytest.mark.tried("flipped bits of a note")
def test_every_bit_of_a_note_counts(folder: Folder, tries: Tries) -> None:
    file = Path(folder.path, "stability.json")
    whole = file.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        tries.made += 1
        try:
            # A space that is a line break now is the same JSON: what is believed is what was written.
            assert read_note(folder, "plan", "stability") == json.loads(json.dumps(NOTE))
        except DamagedNote as problem:
            assert str(problem).startswith(f"{folder.path}: stability.json cannot be read: ")  # noqa: PT017 - or sound


def test_notes_of_others_are_refused(folder: Folder) -> None:
    with pytest.raises(DamagedNote, match="not what was written for this campaign"):
        read_note(folder, "another plan", "stability")
    os.replace(Path(folder.path, "stability.json"), Path(folder.path, "limits.json"))  # noqa: PTH105 - a rename
    with pytest.raises(DamagedNote, match="not what was written for this campaign"):
        read_note(folder, "plan", "limits")


def test_what_is_made_again_is_set_aside(folder: Folder) -> None:
    file = Path(folder.path, "stability.json")
    file.write_text("[]")
    with pytest.warns(UserWarning, match=r"it must be an object; it was moved to damaged/stability\.0\.json"):
        assert remade_note(folder, "plan", "stability") is None
    assert not file.exists()
    assert Path(folder.path, "damaged", "stability.0.json").read_text() == "[]"
    assert remade_note(folder, "plan", "stability") is None
