import torch

from unnerve.generate.perturbations.shear import Shear


def test_rows_move_by_their_distance_from_the_middle() -> None:
    image = torch.zeros(1, 1, 41, 41)
    image[0, 0, [10, 20, 30], 20] = 1.0
    left, right = Shear().apply(image, torch.tensor([[[1.0, 0.1], [1.0, 0.9]]]))[0, :, 0]
    # 0.4 of ten rows are four pixels, to opposite sides above and below.
    assert [int(left[row].argmax()) for row in (10, 20, 30)] == [16, 20, 24]
    assert [int(right[row].argmax()) for row in (10, 20, 30)] == [24, 20, 16]
