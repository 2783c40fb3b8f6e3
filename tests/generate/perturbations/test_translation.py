import torch

from unnerve.generate.perturbations.translation import Translation


def test_moves_by_a_share_of_the_side_in_the_direction_of_the_die() -> None:
    image = torch.zeros(1, 1, 50, 50)
    image[0, 0, 25, 25] = 1.0
    right, down = Translation().apply(image, torch.tensor([[[1.0, 0.0], [1.0, 0.25]]]))[0, :, 0]
    # 0.16 of 50 pixels are 8.
    assert divmod(int(right.argmax()), 50) == (25, 33)
    assert divmod(int(down.argmax()), 50) == (33, 25)
