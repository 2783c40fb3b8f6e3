"""Scores that compare with training data, and orders by coverage."""

import numpy as np
import pytest

from unnerve.core.errors import InvalidModel, InvalidSetting
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.rank.rank import rank
from unnerve.subjects.data import examples

DATA = examples("mnist5k", limit=60)
TRAIN = examples("mnist5k", split="train", limit=400)


@pytest.mark.parametrize("score", ["lsa", "dsa", "mdsa", "mlsa", "mmdsa"])
def test_inputs_of_the_training_data_surprise_least(score: str) -> None:
    known = rank("zoo:lenet1", TRAIN.first(60), score, reference=TRAIN).scored.scores[score]
    assert bool(np.isfinite(known).all())
    fresh = rank("zoo:lenet1", examples("mnist5k", split="test", limit=60), score, reference=TRAIN).scored.scores[score]
    assert np.median(known) < np.median(fresh)


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    for score in ("dsa", "coverage_additional:nc(0.5)"):
        reference = TRAIN if score == "dsa" else None
        whole = rank("zoo:lenet1", DATA, score, reference=reference)
        monkeypatch.setattr("unnerve.studies.rank.scored._BLOCK", 32)
        parts = rank("zoo:lenet1", DATA, score, reference=reference)
        monkeypatch.undo()
        assert np.array_equal(whole.order, parts.order)


def test_the_additional_order_covers_all_that_can_be_covered_first() -> None:
    from unnerve.studies.cover.cover import cover

    greedy = rank("zoo:lenet1", DATA, "coverage_additional:nc(0.5)").order.tolist()
    total = rank("zoo:lenet1", DATA, "coverage_total:nc(0.5)").order.tolist()
    first, other, every = (
        cover("zoo:lenet1", DATA.take(rows), criteria="nc:0.5").summary()["nc"]
        for rows in (greedy[:5], total[:5], greedy)
    )
    assert first >= other
    assert every >= first > 0


def test_a_profile_is_made_where_a_criterion_asks_for_it() -> None:
    order = rank("zoo:lenet1", DATA, "coverage_total:kmnc(50)", reference=TRAIN)
    assert order.score == "coverage_total:criterion=kmnc(sections=50)"
    assert sorted(order.order.tolist()) == list(range(60))


def test_the_proof_compares_them_all() -> None:
    scores = ["dsa", "energy", "coverage_total", "coverage_additional"]
    proof = evaluate_ranking("zoo:lenet1", DATA, scores, reference=TRAIN, inputs=20, tries=3, repeats=2)
    assert list(proof.scores) == ["dsa", "energy", "coverage_total", "coverage_additional"]


def test_mistakes_are_named() -> None:
    with pytest.raises(InvalidSetting, match=r"dsa needs training data: --reference DATA|dsa needs training data"):
        rank("zoo:lenet1", DATA, "dsa")
    with pytest.raises(InvalidSetting, match="no score compares with any"):
        rank("zoo:lenet1", DATA, "pd", reference=TRAIN)
    with pytest.raises(InvalidSetting, match="reference data must have inputs of shape"):
        rank("zoo:lenet1", DATA, "dsa", reference="digits")
    with pytest.raises(InvalidModel, match="neurons"):
        rank(lambda x: x.reshape(len(x), -1)[:, :10], DATA, "coverage_total")
    with pytest.raises(InvalidSetting, match="does not say what each input covers"):
        rank("zoo:lenet1", DATA, "coverage_total:tknp")
