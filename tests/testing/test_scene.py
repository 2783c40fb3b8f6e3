import torch

from unnerve.generate.noises.random import Random
from unnerve.generate.regions.linf import Linf
from unnerve.testing.scene import proposals, scene, small_data, small_images, tiny_model, tiny_net


def test_everything_is_the_same_every_time() -> None:
    assert torch.equal(small_images(), small_images())
    assert torch.equal(tiny_net()(small_images()), tiny_net()(small_images()))
    assert small_data().fingerprint == small_data().fingerprint


def test_a_scene_has_paid_for_the_clean_pass() -> None:
    subject, seeds, streams = scene([3, 8])
    assert subject.model.meter.spent.tolist() == [1, 1]
    assert seeds.batch.ids == ("3", "8")
    assert torch.equal(seeds.clean.logits, tiny_model().observe(small_images()[[3, 8]]).logits)
    assert streams.seed == 0


def test_proposals_are_kept_and_go_on_with_who_is_wanted() -> None:
    found = proposals(Random(3), scene([3, 8]), Linf(0.1), lambda step: torch.tensor([True, step < 1]))
    assert [one.seed_index.tolist() for one in found] == [[0, 1], [0, 1], [0]]
    assert not torch.equal(found[0].inputs, found[1].inputs)
