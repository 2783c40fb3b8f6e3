from pathlib import Path

import pytest
import torch

import unnerve
from unnerve.studies.train import accuracy
from unnerve.subjects.training.enrolment import enrol
from unnerve.subjects.zoo.resemblyzer import resemblyzer


def encoder(classes: int = 3) -> torch.nn.Module:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return resemblyzer(classes)


def test_has_the_layers_of_the_weights_that_circulate() -> None:
    state = encoder().state_dict()
    assert sum(part.numel() for name, part in state.items() if name != "centroids") == 1_423_616
    assert state["lstm.weight_ih_l0"].shape == (1024, 40)
    assert state["linear.weight"].shape == (256, 256)


def test_embeddings_have_length_one_and_know_no_padding() -> None:
    net, x = encoder(), 0.1 * torch.randn(2, 3200, generator=torch.Generator().manual_seed(0))
    longer = torch.nn.functional.pad(x, (0, 3200))
    with torch.no_grad():
        found = net.embedding(x)  # type: ignore[operator]
        torch.testing.assert_close(found.norm(dim=1), torch.ones(2))
        torch.testing.assert_close(net(x), net(longer), atol=1e-4, rtol=1e-4)


def test_quiet_clips_are_answered_like_loud_ones() -> None:
    net, x = encoder(), 0.01 * torch.randn(1, 3200, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        torch.testing.assert_close(net(x), net(x / 10), atol=1e-3, rtol=1e-3)


@pytest.mark.soak
@pytest.mark.data
def test_recognises_sixty_speakers_by_one_digit(real_data: Path) -> None:
    net = resemblyzer(60)
    weights = torch.load(real_data / "weights" / "resemblyzer_voice_encoder.pt", weights_only=True)
    assert net.load_state_dict(weights, strict=False).unexpected_keys == []
    clips = f"speech:{real_data}/speech/audiomnist_16k.npz"
    enrol(net, unnerve.examples(clips, split="train"))
    assert accuracy(net, unnerve.examples(clips)) > 0.85
