from unnerve.core.naming.catalogue import build, names
from unnerve.generate.attacks.fgsm import FGSM
from unnerve.generate.guided.guided import Guided
from unnerve.measure.scores.pd import pd
from unnerve.testing.texts import small_texts, texts


def test_a_method_is_run_with_each_of_its_small_settings() -> None:
    assert list(small_texts("mine.py:FGSM", FGSM)) == ["mine.py:FGSM", "mine.py:FGSM:lengths=3"]
    assert list(small_texts("pd", pd)) == ["pd"]
    assert len(list(small_texts("guided", Guided))) == 4


def test_every_method_of_a_kind_can_be_built_from_its_texts() -> None:
    for kind in ("score", "coverage", "reaction", "perturbation", "region", "oracle", "search", "objective", "hunter"):
        assert {text.partition(":")[0] for text in texts(kind)} == set(names(kind))
        assert all(build(kind, text) is not None for text in texts(kind))
