"""The one command worth running after defences were tested."""

from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.reports.defence.next_step import next_step
from unnerve.studies.defend.held import Held
from unnerve.studies.defend.result import ADAPTIVE, Defended

MADE = Provenance(Call("defend", {"against": "runs/a,runs/b"}), Opening("zoo:tiny"), Opening("made-up"))


def defended(group: str, made: Provenance | None = MADE) -> Defended:
    return Defended("zoo:tiny", "made-up", (Held("jpeg:50", "transform", group, False, 10, 0, 9),), {}, 10, made)


def test_attacks_that_know_the_defence_come_first_and_then_hardening() -> None:
    assert next_step(defended("clean")).command == "unnerve defend zoo:tiny made-up --against runs/a,runs/b --adaptive"
    assert (
        next_step(defended(ADAPTIVE)).command == "unnerve harden zoo:tiny made-up --from runs/a --out runs/a-hardened"
    )


def test_without_a_campaign_there_is_nothing_to_harden_on() -> None:
    alone = Provenance(Call("defend"), Opening("zoo:tiny"), Opening("made-up"))
    assert next_step(defended("clean", alone)).command == "unnerve defend zoo:tiny made-up --adaptive"
    assert next_step(defended(ADAPTIVE, alone)).command == ""


def test_what_no_command_repeats_has_none() -> None:
    assert next_step(defended("clean", None)).command == ""
