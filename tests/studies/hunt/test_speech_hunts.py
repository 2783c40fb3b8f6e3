"""Every verb on speech: clips of different lengths, on the waveform and on features."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import wavfile

import unnerve
from unnerve.cli.main import main
from unnerve.core.errors import InvalidSetting
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.datasets.tensors import tensors

SOURCE = '''
import torch
from torch import nn
from unnerve.subjects.sounds.mel import LogMel


class Net(nn.Module):
    """Low, middle or high: the third of sixteen bands that is loudest."""

    def __init__(self):
        super().__init__()
        self.front = LogMel(16000, 16)
        self.dense, self.relu, self.thirds = nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)
        with torch.no_grad():
            self.dense.weight.copy_(torch.eye(16)), self.dense.bias.fill_(1), self.thirds.bias.zero_()
            self.thirds.weight.copy_((torch.arange(16) // 6 == torch.arange(3)[:, None]) * 2.0)

    def forward(self, x):
        features = self.front(x) if x.ndim == 2 else x
        return self.thirds(self.relu(self.dense(features.mean(dim=3).flatten(1))))


def build():
    return Net().eval()
'''


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("net") / "net.py"
    path.write_text(SOURCE)
    return f"{path}:build"


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three speakers, three clips each, of 2,400 to 4,000 samples at 16 kHz."""
    rng, path = np.random.default_rng(0), tmp_path_factory.mktemp("clips") / "clips.npz"
    lengths = 2400 + 200 * np.arange(9)
    tones = [3000 * np.sin(np.arange(size) / (5 + number)) for number, size in enumerate(lengths)]
    audio = np.concatenate([tone + rng.normal(0, 500, len(tone)) for tone in tones]).astype(np.int16)
    offset, speaker = np.cumsum(lengths) - lengths, np.repeat([0, 1, 2], 3)
    np.savez(path, audio=audio, offset=offset, length=lengths, speaker=speaker, rate=np.array([16000]))
    return f"speech:{path}"


def hunted(net: str, clips: str, out: Path, **settings: Any) -> Campaign:
    data = unnerve.examples(clips, split="all")
    campaign: Campaign = unnerve.hunt(net, data, oracle="changed", out=str(out), **settings)
    return campaign


@pytest.mark.parametrize("region", ["snr:0", "linf:0.3", "l2:20"])
def test_findings_keep_their_padding_and_are_exported_as_wav(net: str, clips: str, region: str, tmp_path: Path) -> None:
    campaign = hunted(net, clips, tmp_path / "hunt", method="class_tour:steps=8", region=region, inputs=4)
    found, _ = campaign.tensors()
    assert len(found) > 0
    seeds = unnerve.examples(clips, split="all").batch(range(4)).inputs
    ends = {int((seed != 0).nonzero().max()) + 1 for seed in seeds}
    assert {int((one != 0).nonzero().max()) + 1 for one in found} <= ends
    assert campaign.clips is not None
    page = Path(str(campaign.report())).read_text()
    assert "a choice plays them" in page
    assert "no pictures" not in page
    assert unnerve.export(campaign, tmp_path / "files", limit=1).inexact == 0
    (path,) = (tmp_path / "files").glob("*.wav")
    rate, samples = wavfile.read(path)
    assert rate == 16000
    assert any(np.array_equal(one[: len(samples)].numpy(), samples) for one in found)


def test_swarms_and_natural_changes(net: str, clips: str, tmp_path: Path) -> None:
    method = "deepsensor_excitable:iterations=3,particles=4"
    assert hunted(net, clips, tmp_path / "swarm", method=method, region="snr:0", inputs=2).tallies
    natural = hunted(net, clips, tmp_path / "natural", method="natural:iterations=20", inputs=3)
    assert natural.plan.region.text.startswith("semantic")


def test_features_are_hunted_like_images_but_for_their_padding(net: str, clips: str, tmp_path: Path) -> None:
    campaign = hunted(net, f"{clips},bands=16", tmp_path / "hunt", method="pgd:steps=10", region="linf:0.5", inputs=4)
    found, _ = campaign.tensors()
    assert len(found) > 0
    assert found.shape[1:] == (1, 16, 26)
    assert (found[..., -4:] == -1).all()  # none of the first four clips lasts so long


def test_the_usual_region_of_waveforms_is_thirty_decibels(net: str, clips: str, tmp_path: Path) -> None:
    assert hunted(net, clips, tmp_path / "hunt", method="fgsm", inputs=1).region == "snr:30"


def test_regions_that_speech_does_not_have(net: str, clips: str, tmp_path: Path) -> None:
    out = tmp_path / "hunt"
    with pytest.raises(InvalidSetting, match=r"is changed within linf, l2, snr or semantic, got l0:0\.1"):
        hunted(net, clips, out, method="patch", region="l0:0.1", inputs=1)
    with pytest.raises(InvalidSetting, match=r"\(logmel\) is changed within linf or l2, got snr:20"):
        hunted(net, f"{clips},bands=16", out, method="pgd", region="snr:20", inputs=1)
    with pytest.raises(InvalidSetting, match="snr:20 is for speech, got mnist5k"):
        unnerve.hunt("zoo:lenet5", "mnist5k", region="snr:20", out=str(out), inputs=1)
    with pytest.raises(InvalidSetting, match="is for images, got speech"):
        hunted(net, clips, out, method="pgd", quantised=True, inputs=1)
    with pytest.raises(InvalidSetting, match="is changed within linf or l2, got semantic"):
        hunted(net, f"{clips},bands=16", out, method="natural", inputs=1)
    with pytest.raises(InvalidSetting, match="natural changes of speech are of waveforms"):
        unnerve.corrupt(net, f"{clips},bands=16")
    with pytest.raises(InvalidSetting, match="keeps changed images, got speech"):
        unnerve.corrupt(net, clips, out=str(tmp_path / "changed.npz"))
    assert not out.exists()


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("rank", []),
        ("cover", ["--profile", "DATA"]),
        ("corrupt", ["--severities", "3"]),
        ("map", ["--attacks", "fgsm", "--inputs", "1", "--draws", "3", "--dropout", "0.2"]),
        ("score", ["--measure", "clever:batches=10,samples=2", "--inputs", "1"]),
        ("react", ["--methods", "pgd:steps=9", "--inputs", "2", "--region", "snr:-20"]),
    ],
)
def test_other_verbs(
    verb: str, more: list[str], net: str, clips: str, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    given = [clips if one == "DATA" else one for one in more]
    assert main([verb, net, clips, "--split", "all", "--json", *given]) == 0, capsys.readouterr().err
    json.loads(capsys.readouterr().out)


def test_a_network_is_hardened_by_what_was_found(net: str, clips: str, tmp_path: Path) -> None:
    # Labels that the network gives itself, so that there is something to lose.
    data = unnerve.examples(clips, split="all")
    heard = unnerve.model(net).observe(data.batch(range(len(data))).inputs).predicted
    known = tensors(data.batch(range(len(data))).inputs, heard, name="clips")
    known = replace(known, value_range=data.value_range, clips=data.clips)
    found = unnerve.hunt(net, known, method="pgd:steps=9", region="snr:-20", inputs=3, out=str(tmp_path / "hunt"))
    mended = unnerve.harden(
        net, known, str(tmp_path / "hunt"), str(tmp_path / "mended"), repair="retrain:epochs=2",
        attacks="pgd:steps=2", inputs=2, clever_inputs=1, clever="clever:batches=10,samples=2", validation_inputs=2,
    )  # fmt: skip
    assert found.rows()[0]["seeds_broken"] > 0
    assert mended.region == "snr:-20"
    assert mended.replayed["trained_on"].before.mean == 1
    assert (tmp_path / "mended" / "weights.safetensors").is_file()


def test_quiet_clips_are_not_rounded_to_eight_bits(net: str, clips: str) -> None:
    data = unnerve.examples(clips, split="all")
    found = unnerve.corrupt(net, data, changes="gain", severities="1")
    louder, labels = found.right[:, 0, 0], found.expected
    assert len(labels) == len(data)
    assert bool(louder[found.clean].all()), "three decibels change no clip's loudest third"
