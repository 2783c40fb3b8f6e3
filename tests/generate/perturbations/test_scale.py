import torch

from unnerve.generate.perturbations.scale import Scale


def test_severity_five_shrinks_or_enlarges_by_two_fifths() -> None:
    image = torch.zeros(1, 1, 41, 41)
    image[0, 0, 20, 34] = 1.0  # 14 to the right of the middle
    smaller, larger = Scale().apply(image, torch.tensor([[[1.0, 0.1], [1.0, 0.9]]]))[0, :, 0]
    assert divmod(int(smaller.argmax()), 41) == (20, 30)
    assert int(larger[20].argmax()) in (39, 40)
