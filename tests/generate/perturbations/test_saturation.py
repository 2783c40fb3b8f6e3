import torch

from unnerve.generate.perturbations.saturation import Saturation


def test_severity_five_is_grey_or_three_times_the_colour() -> None:
    image = torch.tensor([0.5, 0.4, 0.4]).view(1, 3, 1, 1)
    grey, strong = Saturation().apply(image, torch.tensor([[[1.0, 0.1], [1.0, 0.9]]]))[0]
    middle = 0.4 + 0.299 * 0.1
    assert torch.allclose(grey.flatten(), torch.full((3,), middle), atol=1e-6)
    wanted = torch.tensor([middle + 3 * (0.5 - middle), middle + 3 * (0.4 - middle), middle + 3 * (0.4 - middle)])
    assert torch.allclose(strong.flatten(), wanted, atol=1e-5)


def test_grey_images_have_no_colour_to_change() -> None:
    assert [Saturation().fits(shape) for shape in ((3, 4, 4), (1, 4, 4), (7,))] == [True, False, False]
