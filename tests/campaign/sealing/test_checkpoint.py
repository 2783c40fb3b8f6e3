"""Checkpoints of pools that are damaged, or another's: none is gone on from, none is deleted."""

from pathlib import Path

import pytest

from unnerve.campaign._folder import Folder
from unnerve.campaign.sealing.checkpoint import Checkpoint
from unnerve.campaign.sealing.seal import SealedAs

OWNER = SealedAs("plan", "method00-seeds0-4")


@pytest.fixture
def kept(tmp_path: Path) -> Checkpoint:
    (tmp_path / "checkpoints").mkdir()
    made = Checkpoint(Folder(str(tmp_path)), OWNER)
    assert made.load() is None
    made.save(b"where it stands")
    return made


def test_what_was_saved_is_loaded(kept: Checkpoint) -> None:
    assert kept.load() == b"where it stands"
    kept.save(b"further on")
    assert kept.load() == b"further on"
    kept.remove()
    assert kept.load() is None


def test_every_bit_counts(kept: Checkpoint) -> None:
    file = Path(kept.folder.path, kept.name)
    whole = file.read_bytes()
    for bit in range(8 * len(whole)):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        file.write_bytes(damaged)
        with pytest.warns(UserWarning, match=r"is damaged or foreign; it was moved to damaged/"):
            assert kept.load() is None
        assert not file.exists()
    assert len(list(Path(kept.folder.path, "damaged").iterdir())) == 8 * len(whole)


@pytest.mark.parametrize("data", [b"", b"short", bytes(64)])
def test_what_is_no_checkpoint_is_set_aside(data: bytes, kept: Checkpoint) -> None:
    Path(kept.folder.path, kept.name).write_bytes(data)
    with pytest.warns(UserWarning, match=r"and its pool is begun again"):
        assert kept.load() is None


@pytest.mark.parametrize("other", [SealedAs("other", OWNER.shard), SealedAs("plan", "method00-seeds4-8")])
def test_checkpoints_of_others_are_set_aside(other: SealedAs, kept: Checkpoint) -> None:
    foreign = Checkpoint(kept.folder, other)
    foreign.save(b"elsewhere")
    Path(kept.folder.path, foreign.name).replace(Path(kept.folder.path, kept.name))
    with pytest.warns(UserWarning, match="damaged or foreign"):
        assert kept.load() is None
