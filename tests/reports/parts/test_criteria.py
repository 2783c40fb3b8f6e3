"""What criteria count, in their own words."""

from dataclasses import dataclass

from unnerve.core.facts import CriterionWords
from unnerve.core.naming.catalogue import find, names
from unnerve.measure.coverages.nc import NC
from unnerve.reports.parts.criteria import criterion_words, stored_criterion_words


@dataclass(frozen=True)
class Mine:
    words = CriterionWords("my corners", "of my corners are met by")


def test_every_criterion_has_words_of_its_own() -> None:
    assert all(isinstance(vars(find("coverage", name)).get("words"), CriterionWords) for name in names("coverage"))
    assert criterion_words(NC()).met == "neurons are activated by"


def test_one_from_a_file_is_described_by_its_words_or_plainly() -> None:
    assert criterion_words(Mine()).counted == "my corners"
    assert criterion_words(object()) == CriterionWords("", "obligations are met by")


def test_of_what_a_campaign_names_only_the_catalogue_is_looked_up() -> None:
    assert stored_criterion_words("nc") == NC.words
    assert stored_criterion_words("mine.py:Mine") == CriterionWords()
