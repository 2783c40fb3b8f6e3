"""The page of all claims says what the rules and the published results say."""

import json
from pathlib import Path

import pytest

from unnerve.papers._rules import Rule
from unnerve.papers.deepsensor import claims as deepsensor
from unnerve.papers.deepsensor_faults import claims as deepsensor_faults
from unnerve.papers.deepsensor_speech import claims as deepsensor_speech
from unnerve.papers.kuk import claims as kuk
from unnerve.papers.kuk import defence_claims, uncommon_claims
from unnerve.papers.kuk.tools import claims as tool_claims
from unnerve.papers.nsatp import claims as nsatp
from unnerve.papers.nsatp import evolution
from unnerve.papers.peacepact import claims as peacepact

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reproduction"
RULES: dict[str, tuple[Rule, ...]] = {
    "nsatp": (*nsatp.RULES, *evolution.RULES),
    "peacepact": peacepact.RULES,
    "kuk": (*kuk.RULES, *uncommon_claims.UNCOMMON_RULES, *defence_claims.DEFENCE_RULES, *tool_claims.TOOL_RULES),
    "deepsensor": deepsensor.RULES,
    "deepsensor_faults": deepsensor_faults.RULES,
    "deepsensor_speech": deepsensor_speech.RULES,
}
STATES = ("reproduced", "partly", "missing", "-")


def rows() -> list[list[str]]:
    lines = (DOCS / "claims.md").read_text().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]


@pytest.mark.parametrize("paper", RULES)
def test_every_rule_has_a_row_with_its_verdict(paper: str) -> None:
    published = DOCS / "results" / f"{paper}.json"
    verdicts = {one["claim"]: one["verdict"] for one in json.loads(published.read_text())["claims"]}
    listed = {tuple(row) for row in rows()}
    for rule in RULES[paper]:
        verdict = verdicts.get(rule.claim, "not run")
        state = "reproduced" if rule.claim in verdicts else "missing"
        row = (rule.place, f"“{rule.quote}”", state, rule.rule, verdict) if rule.quote else None
        assert (row or (rule.claim, rule.rule, verdict)) in listed, rule.claim


def test_every_row_says_how_far_it_is_reproduced() -> None:
    said = [row for row in rows() if len(row) == 5 and row[0] != "place"]
    assert len(said) >= 40
    assert {row[2] for row in said} <= set(STATES)
    assert all(row[3] for row in said), "what decides, or what is missing"


def test_a_statement_without_a_quote_is_beyond_the_papers() -> None:
    for some in RULES.values():
        for rule in some:
            assert (rule.place == "beyond the papers") == (rule.quote == ""), rule.claim
