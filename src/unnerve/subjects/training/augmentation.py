"""Random flips and shifts of training images."""

import torch
from torch import Tensor
from torch.nn import functional

__all__ = ["augmented"]


def augmented(images: Tensor, flip: bool, shift: int) -> Tensor:
    """Return images flipped left to right with probability one half, and shifted by up to some pixels each way.

    Draws from torch's global generator, which the training loop has seeded.

    Parameters
    ----------
    images : Tensor of shape (N, C, H, W)
    flip : bool
    shift : int
        Most pixels, >= 0; what comes in from outside is zero.

    Returns
    -------
    Tensor of shape (N, C, H, W)
        The images themselves if nothing is to be done.
    """
    if flip:
        mirrored = torch.rand(len(images)) < 0.5
        images = torch.where(mirrored.view(-1, 1, 1, 1), images.flip(3), images)
    if shift:
        height, width = images.shape[2:]
        # One gather for the whole batch: a crop per image would be a loop in Python.
        padded = functional.pad(images, [shift] * 4)
        down, right = torch.randint(0, 2 * shift + 1, (2, len(images)))
        rows = (down.unsqueeze(1) + torch.arange(height)).unsqueeze(2)
        columns = (right.unsqueeze(1) + torch.arange(width)).unsqueeze(1)
        images = padded.permute(0, 2, 3, 1)[torch.arange(len(images)).view(-1, 1, 1), rows, columns]
        images = images.permute(0, 3, 1, 2)
    return images
