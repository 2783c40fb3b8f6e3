import torch

from unnerve.generate.perturbations.time_shift import TimeShift
from unnerve.testing.perturbations import check_perturbation


def test_the_most_severe_shift_is_a_fifth_of_the_input() -> None:
    clip = 0.5 + torch.linspace(0.01, 0.4, 500).unsqueeze(0)
    earlier, later = TimeShift().apply(clip, torch.tensor([[[1.0, 0.2], [1.0, 0.8]]]))[0]
    torch.testing.assert_close(later[100:], clip[0, :400])
    torch.testing.assert_close(earlier[:400], clip[0, 100:])
    assert (later[:100] == 0.5).all()
    assert (earlier[400:] == 0.5).all()


def test_keeps_what_perturbations_promise() -> None:
    check_perturbation("time_shift", (400,))
