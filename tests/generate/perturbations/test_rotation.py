import torch

from unnerve.generate.perturbations.rotation import Rotation


def test_severity_five_turns_by_thirty_degrees() -> None:
    image = torch.zeros(1, 1, 41, 41)
    image[0, 0, 20, 36] = 1.0  # 16 to the right of the middle
    turned = Rotation().apply(image, torch.tensor([[[1.0, 0.9], [1.0, 0.1]]]))[0, :, 0]
    places = [divmod(int(one.argmax()), 41) for one in turned]
    # 16 cos 30 = 13.9 across and 16 sin 30 = 8 up or down.
    assert sorted(places) == [(12, 34), (28, 34)]


def test_no_strength_changes_nothing() -> None:
    image = torch.rand(1, 1, 8, 8, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(Rotation().apply(image, torch.zeros(1, 1, 2))[:, 0], image, atol=1e-5)
