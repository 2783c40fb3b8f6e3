import torch

from unnerve.generate.perturbations.motion_blur import MotionBlur


def test_a_point_becomes_a_line_in_the_direction_of_the_die() -> None:
    point = torch.zeros(1, 1, 31, 31)
    point[0, 0, 15, 15] = 1.0
    flat, upright = MotionBlur().apply(point, torch.tensor([[[1.0, 0.0], [1.0, 0.5]]]))[0, :, 0]
    # Six pixels long: three to each side.
    assert float(flat[15, 13]) > 0.1
    assert float(flat[13, 15]) < 1e-4
    assert float(flat[15, 10]) < 1e-4
    assert float(upright[13, 15]) > 0.1


def test_a_plain_image_stays() -> None:
    plain = torch.full((1, 3, 9, 9), 0.3)
    assert torch.allclose(MotionBlur().apply(plain, torch.tensor([[[1.0, 0.3]]]))[:, 0], plain, atol=1e-5)
