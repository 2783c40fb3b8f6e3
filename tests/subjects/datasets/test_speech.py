import json
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.io import wavfile

import unnerve
from unnerve.cli.main import main
from unnerve.core.data.clips import Clips
from unnerve.core.errors import InvalidData, InvalidSetting, UserError
from unnerve.subjects.datasets.speech import speech
from unnerve.subjects.joined import joined

RATE = 8000


def tone(samples: int, pitch: int, rate: int = RATE) -> np.ndarray:
    return (8000 * np.sin(2 * np.pi * pitch * (1 + np.arange(samples)) / rate)).astype(np.int16)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two speakers, three clips each, of 100 to 600 samples."""
    lengths = np.arange(1, 7) * 100
    clips = [tone(int(size), 300 + 50 * number) for number, size in enumerate(lengths)]
    np.savez(
        tmp_path / "clips.npz", audio=np.concatenate(clips), offset=np.cumsum(lengths) - lengths, length=lengths,
        speaker=np.repeat([1, 2], 3), digit=np.tile([0, 1, 2], 2), rate=np.array([RATE]),
    )  # fmt: skip
    (tmp_path / "clips_speakers.csv").write_text("speaker,accent\n01,Scots\n02,welsh\n")
    return tmp_path / "clips.npz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for speaker, pitch in (("anna", 300), ("ben", 200)):
        (tmp_path / "by" / speaker).mkdir(parents=True)
        for number in range(3):
            wavfile.write(tmp_path / "by" / speaker / f"{number}.wav", RATE, tone(100 * (number + 1), pitch))
    return tmp_path / "by"


def test_reads_an_npz_file_padded_to_its_longest_clip(archive: Path) -> None:
    data = speech(archive, "all")
    assert (len(data), data.shape, data.value_range, data.clips) == (6, (600,), (-1.0, 1.0), Clips(RATE))
    assert data.classes == ("1", "2")
    batch = data.batch([0, 5])
    np.testing.assert_allclose(batch.inputs[0, :100].numpy(), tone(100, 300) / 2**15, atol=1e-7)
    assert (batch.inputs[0, 100:] == 0).all()
    assert batch.labels is not None
    assert batch.labels.tolist() == [0, 1]


def test_every_third_clip_of_a_speaker_is_for_tests(archive: Path) -> None:
    assert speech(archive).ids() == ("2", "5")
    assert speech(archive, "train").ids() == ("0", "1", "3", "4")


def test_labels_come_from_the_file_or_from_the_table_of_speakers(archive: Path) -> None:
    assert speech(archive, "all", by="digit").classes == ("0", "1", "2")
    accents = speech(archive, "all", by="accent")
    assert accents.classes == ("Scots", "welsh")
    labels = accents.label_array()
    assert labels is not None
    assert labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_spellings_that_differ_in_capitals_are_one_value(archive: Path) -> None:
    (archive.parent / "other.csv").write_text("speaker,accent\n1,Scots\n2,SCOTS\n")
    assert len(speech(archive, "all", by="accent", table="other.csv").classes) == 1


def test_reads_a_folder_for_each_speaker(folder: Path) -> None:
    data = speech(folder, "all")
    assert (data.classes, data.shape, data.ids()[0]) == (("anna", "ben"), (300,), "anna/0.wav")
    np.testing.assert_allclose(data.batch([3]).inputs[0, :100].numpy(), tone(100, 200) / 2**15, atol=1e-7)


def test_reads_vctk(tmp_path: Path) -> None:
    (tmp_path / "speaker-info.txt").write_text(
        "ID  AGE  GENDER  ACCENTS  REGION COMMENTS\n225  23  F    English    Southern  England\n226  22  M    Irish  \n"
    )
    for speaker in ("p225", "p226"):
        (tmp_path / "wav48" / speaker).mkdir(parents=True)
        for number in range(1, 4):
            wavfile.write(tmp_path / "wav48" / speaker / f"{speaker}_{number:03}.wav", 48000, tone(480, 500, 48000))
        wavfile.write(tmp_path / "wav48" / speaker / f"{speaker}_001_mic2.wav", 48000, tone(480, 500, 48000))
    data = speech(tmp_path, "all", by="accent", rate=16000)
    assert (len(data), data.shape, data.classes, data.clips) == (6, (160,), ("English", "Irish"), Clips(16000))
    assert data.ids()[3] == "wav48/p226/p226_001.wav"


def test_seconds_cut_and_pad(archive: Path) -> None:
    data = speech(archive, "all", seconds=0.025)
    assert data.shape == (200,)
    assert (data.batch([0]).inputs[0, 100:] == 0).all()
    assert data.batch([5]).inputs[0, -1] != 0


def test_bands_give_features(archive: Path) -> None:
    data = speech(archive, "all", bands=20)
    assert (data.shape, data.clips) == ((1, 20, 4), Clips(RATE, "logmel"))
    inputs = data.batch(range(6)).inputs
    assert -1 <= float(inputs.min()) <= float(inputs.max()) <= 1
    assert (inputs[0, :, :, 3] == -1).all()  # padding
    assert (inputs[5, :, :, 3] > -1).any()


def test_other_rates_are_an_error_or_resampled(folder: Path) -> None:
    wavfile.write(folder / "ben" / "3.wav", 16000, tone(200, 100, 16000))
    with pytest.raises(InvalidSetting, match=r"3.wav: samples per second must be 8,000 .* got 16,000; rate=16000"):
        speech(folder)
    assert speech(folder, "all", rate=16000).shape == (600,)


def test_unreadable_clips_are_an_error_or_left_out(folder: Path) -> None:
    wavfile.write(folder / "anna" / "9.wav", RATE, np.zeros(50, np.int16))
    (folder / "ben" / "9.wav").write_bytes(b"RIFF")
    with pytest.raises(InvalidData, match=r"anna.*9.wav: a clip must not be silent"):
        speech(folder, "all")
    data = speech(folder, "all", skip_unreadable=True)
    assert data.skipped == ("anna/9.wav", "ben/9.wav")
    assert len(data) == 6


def test_silent_clips_of_an_npz_are_an_error_or_left_out(archive: Path) -> None:
    with np.load(archive) as arrays:
        changed = dict(arrays)
    changed["audio"][:100] = 0
    np.savez(archive, **changed)
    with pytest.raises(InvalidData, match="must not be empty or silent, got clip 0"):
        speech(archive)
    assert speech(archive, "all", skip_unreadable=True).ids() == ("1", "2", "3", "4", "5")


def test_clips_on_another_scale_are_an_error_or_left_out(folder: Path) -> None:
    wavfile.write(folder / "anna" / "9.wav", RATE, tone(50, 300).astype(np.float32))
    with pytest.raises(InvalidData, match=r"9.wav: floating-point samples must be in \[-1, 1\], got 8,000"):
        speech(folder, "all")
    assert speech(folder, "all", skip_unreadable=True).skipped == ("anna/9.wav",)


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.int32])
@pytest.mark.parametrize("channels", [1, 2])
def test_silence_is_found_when_a_folder_is_opened(folder: Path, kind: type, channels: int) -> None:
    """A hunt met it in the middle, and starting again without it hunts in other data."""
    waves = 100 * np.sin(np.arange(6000))
    late = np.where(np.arange(6000) < 5000, 0, waves)  # sounds, but not at its beginning
    for name, heard in (("7", waves), ("8", late), ("9", 0 * waves)):
        sides = heard if channels == 1 else np.stack([heard, heard], axis=1)
        wavfile.write(folder / "anna" / f"{name}.wav", RATE, (sides + 128 * (kind is np.uint8)).astype(kind))
    with pytest.raises(InvalidData, match=r"anna.9.wav: a clip must not be silent, got 6,000 samples of 0;"):
        speech(folder, "all")
    (folder / "anna" / "9.wav").unlink()
    assert speech(folder, "all").shape == (6000,)


def test_channels_that_cancel_out_are_silent_when_a_folder_is_opened(folder: Path) -> None:
    left = tone(300, 200)
    wavfile.write(folder / "ben" / "9.wav", RATE, np.stack([left, -left], axis=1))
    with pytest.raises(InvalidData, match=r"ben.9.wav: a clip must not be silent"):
        speech(folder, "all")


def test_files_that_end_early_are_found_when_a_folder_is_opened(folder: Path) -> None:
    whole = (folder / "ben" / "2.wav").read_bytes()
    (folder / "ben" / "2.wav").write_bytes(whole[:-20])
    with pytest.raises(InvalidData, match=r"2.wav: must be a WAV file, whole and undamaged: it has 624 of the 644"):
        speech(folder, "all")


def rewritten(archive: Path, **arrays: np.ndarray) -> Path:
    with np.load(archive) as known:
        np.savez(archive, **(dict(known) | arrays))
    return archive


def test_a_constant_is_silence_too(archive: Path, folder: Path) -> None:
    with np.load(archive) as arrays:
        audio = arrays["audio"].copy()
    audio[100:300] = 9
    with pytest.raises(InvalidData, match="must not be empty or silent, got clip 1"):
        speech(rewritten(archive, audio=audio))
    wavfile.write(folder / "anna" / "9.wav", RATE, np.full(50, 2**14, np.int16))
    with pytest.raises(InvalidData, match=r"9.wav: a clip must not be silent, got 50 samples of 0\.5; `skip_"):
        speech(folder, "all")
    assert speech(folder, "all", skip_unreadable=True).skipped == ("anna/9.wav",)


def test_all_clips_of_an_npz_have_one_rate(archive: Path) -> None:
    rates = np.array([8000, 8000, 16000, 8000, 8000, 8000])
    with pytest.raises(InvalidData, match=r"all clips must have one rate, got 8,000, 16,000; a folder"):
        speech(rewritten(archive, rate=rates))
    assert speech(rewritten(archive, rate=np.full(6, RATE)), "all").clips == Clips(RATE)
    with pytest.raises(InvalidData, match=r"rate must be a number, got float64 of shape \(0,\)"):
        speech(rewritten(archive, rate=np.array([])))


def test_audio_of_two_rows_is_refused_by_its_shape(archive: Path) -> None:
    with np.load(archive) as arrays:
        audio = arrays["audio"]
    with pytest.raises(InvalidData, match=r"must be one row of int16 .*, got int16 of shape \(2, 2100\) at 8,000"):
        speech(rewritten(archive, audio=np.stack([audio, audio])))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"split": "dev"}, "split must be train, test, all, got 'dev'"),
        ({"by": "age"}, "must have the columns speaker and age, found speaker, accent"),
        ({"by": "accent", "table": "none.csv"}, "none.csv: must be a table, found no such file"),
        ({"seconds": -1.0}, "seconds must be > 0"),
        ({"seconds": 1e6}, "a clip must have <= 16,777,216 samples, got 8,000,000,000 at 8,000 per second"),
        ({"rate": 0}, "rate must be > 0"),
        ({"bands": 4000}, "bands must be fewer"),
    ],
)
def test_refuses_settings(archive: Path, settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        _ = speech(archive, **settings).shape  # type: ignore[arg-type]


def test_headers_that_announce_more_than_there_is_are_not_believed(folder: Path) -> None:
    """Else 44 bytes decide that every clip takes eight gigabytes."""
    path = folder / "ben" / "1.wav"
    whole = path.read_bytes()
    path.write_bytes(whole[:40] + (2**31 - 2).to_bytes(4, "little") + whole[44:])
    assert speech(folder, "all").shape == (300,)


def test_rates_that_make_clips_endless_are_refused(folder: Path, archive: Path) -> None:
    wavfile.write(folder / "ben" / "1.wav", 1, tone(2000, 300))
    with pytest.raises(InvalidData, match=r"must have <= 16,777,216 samples, got 32,000,000 at 16,000 per second"):
        speech(folder, "all", rate=16000)
    with np.load(archive) as arrays:
        np.savez(archive, **{**arrays, "rate": np.array([2**31 - 1])})
    with pytest.raises(
        InvalidData, match=r"one row of int16 with a rate in \[1, 1,048,576\], got int16 of shape .* at 2,147,483,647"
    ):
        speech(archive)


def test_refuses_what_is_not_there(tmp_path: Path, archive: Path) -> None:
    with pytest.raises(InvalidData, match="a file or folder must exist"):
        speech(tmp_path / "none")
    (tmp_path / "void").mkdir()
    with pytest.raises(InvalidData, match="must be in one folder for each speaker"):
        speech(tmp_path / "void")
    np.savez(tmp_path / "x.npz", x=np.zeros(3))
    with pytest.raises(InvalidData, match="must hold audio, rate, offset, length, speaker, found x"):
        speech(tmp_path / "x.npz")
    with np.load(archive) as arrays:
        np.savez(tmp_path / "beyond.npz", **{**arrays, "offset": arrays["offset"] + 100})
    with pytest.raises(InvalidData, match="must lie within the 2,100 samples"):
        speech(tmp_path / "beyond.npz")


def test_a_network_is_given_its_own_rate(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = "zoo:deep_speaker:width=2,blocks=1,embedding=4,bands=16,classes=2?random"
    assert main(["rank", net, f"speech:{folder}", "--split", "all", "--json", "--out", str(folder / "r.csv")]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["count"] == 6
    assert "values in" not in said.err, "waveforms always lie in [-1, 1]"
    _, given = joined(net, f"speech:{folder}")
    assert given.clips == Clips(16000)
    assert given.shape == (600,), "300 samples at half the rate"
    data = unnerve.examples(f"speech:{folder}", split="all")
    assert data.shape == (300,)  # nobody asked for another rate here
    assert torch.equal(data.batch([0]).inputs[0, 100:], torch.zeros(200))
