from unnerve.core.subject import Subject
from unnerve.subjects.adapters.torch_module import TorchModule


def test_peers_and_reference_are_optional(tiny_model: TorchModule) -> None:
    subject = Subject(tiny_model)
    assert subject.model is tiny_model
    assert subject.context.peers == ()
    assert subject.context.reference is None
    assert subject.context.profile is None
