import pytest
import torch
from torch import Tensor, nn

from unnerve.core.errors import InvalidData, InvalidModel, InvalidSetting
from unnerve.core.subject import Subject
from unnerve.generate.attacks.pgd import PGD
from unnerve.generate.regions.linf import Linf
from unnerve.mend.defences.activation_classifier import ActivationClassifier, _answers
from unnerve.subjects.adapters.black_box import BlackBox
from unnerve.subjects.datasets.tensors import tensors
from unnerve.testing.scene import proposals, scene, small_images, tiny_model

DATA = tensors(small_images(), tiny_model().observe(small_images()).predicted, classes="abcd", name="small")


def test_its_answers_by_hand() -> None:
    # One activation 3, mean 1 and deviation 2: 1; then 2 * 1 - 1 = 1 and relu(-1) = 0; then (0, 1 + 0.5).
    learnt = (torch.tensor([1.0]), torch.tensor([2.0]), torch.tensor([[2.0], [-1.0]]), torch.tensor([-1.0, 0.0]),
              torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.tensor([0.0, 0.5]))  # fmt: skip
    assert _answers(learnt, torch.tensor([[3.0]])).tolist() == [[0.0, 1.5]]


@pytest.mark.parametrize("layer", [None, "0"])
def test_tells_clean_inputs_from_attacks(layer: str | None) -> None:
    subject = Subject(tiny_model())
    detector = ActivationClassifier(layer, radius=0.3).calibrated(subject, DATA)
    given = scene(range(40))
    attacked = proposals(PGD(10), given, Linf(0.3))[-1].inputs
    wrong = subject.model.observe(attacked).predicted != given[1].clean.predicted
    suspect = detector.suspicion(subject, attacked[wrong]) > 0
    assert float((detector.suspicion(subject, small_images()) <= 0).float().mean()) > 0.7
    assert float(suspect.float().mean()) > 0.6


def test_judges_as_art_s_detector_of_the_same_weights() -> None:
    art = pytest.importorskip("art.defences.detector.evasion.binary_activation_detector")
    estimators = pytest.importorskip("art.estimators.classification.pytorch")
    model = tiny_model()
    ours = ActivationClassifier(radius=0.3).calibrated(Subject(model), DATA)

    class Judge(nn.Module):
        def forward(self, activations: Tensor) -> Tensor:
            return _answers(ours.learnt, activations)

    shown = torch.cat([small_images(), 1 - small_images()])
    loss = nn.CrossEntropyLoss()
    watched = estimators.PyTorchClassifier(model.module, loss, tuple(shown.shape[1:]), 4, device_type="cpu")
    judge = estimators.PyTorchClassifier(Judge(), loss, (4,), 2, device_type="cpu")
    detector = art.BinaryActivationDetector(watched, judge, len(watched.layer_names) - 1)
    _, theirs = detector.detect(shown.numpy())
    found = ours.suspicion(Subject(model), shown) > 0
    assert found.tolist() == theirs.tolist()
    assert 0 < int(found.sum()) < len(found)


def test_learns_the_same_each_time() -> None:
    one, two = (ActivationClassifier(radius=0.3).calibrated(Subject(tiny_model()), DATA) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.learnt, two.learnt, strict=True))
    assert len(one.knowledge["tensors"]) == 8  # type: ignore[arg-type]


def test_clear_errors() -> None:
    subject = Subject(tiny_model())
    with pytest.raises(InvalidSetting, match=r"^activation_classifier is not calibrated"):
        ActivationClassifier().suspicion(subject, small_images())
    with pytest.raises(InvalidData, match=r"^small: no attack within the radius succeeds"):
        ActivationClassifier(radius=1e-6).calibrated(subject, DATA)
    with pytest.raises(InvalidSetting, match=r"^layer must be one of .*, got 'nose'$"):
        ActivationClassifier("nose", radius=0.3).calibrated(subject, DATA)
    box = BlackBox(lambda rows: torch.full((len(rows), 4), 0.25).numpy(), "box")
    with pytest.raises(InvalidModel, match=r"^activation_classifier needs gradients, which box does not offer"):
        ActivationClassifier().calibrated(Subject(box), DATA)
