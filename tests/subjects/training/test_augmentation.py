import torch

from unnerve.subjects.training.augmentation import augmented


def test_nothing_to_do_leaves_images_alone() -> None:
    images = torch.rand(2, 1, 3, 3)
    assert augmented(images, flip=False, shift=0) is images


def test_flips_about_half_of_the_images_left_to_right() -> None:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        images = torch.rand(400, 2, 3, 4)
        changed = augmented(images, flip=True, shift=0)
    mirrored = (changed == images.flip(3)).flatten(1).all(dim=1)
    same = (changed == images).flatten(1).all(dim=1)
    assert bool((mirrored ^ same).all())
    assert 150 < int(mirrored.sum()) < 250


def test_shifts_by_whole_pixels_and_fills_with_zero() -> None:
    image = torch.arange(1.0, 10.0).view(1, 1, 3, 3)
    padded = torch.nn.functional.pad(image, [1, 1, 1, 1])
    possible = [padded[:, :, down : down + 3, right : right + 3] for down in range(3) for right in range(3)]
    with torch.random.fork_rng():
        torch.manual_seed(0)
        shifted = augmented(image.expand(500, 1, 3, 3), flip=False, shift=1)
    met = [sum(torch.equal(one, other[0]) for one in shifted) for other in possible]
    assert sum(met) == 500
    assert min(met) > 20
