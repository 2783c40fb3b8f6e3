"""The page on a hardening; no network is asked."""

from dataclasses import replace
from datetime import datetime

from tests.reports.markup import parsed, payload
from unnerve.reports.hardening.html import hardening_html
from unnerve.reports.hardening.text import hardening_text
from unnerve.studies.harden.result import Compared, Hardening
from unnerve.studies.intervals.interval import Interval

BETTER = Compared(Interval(0.2, 0.1, 0.3), Interval(0.6, 0.5, 0.7), Interval(0.4, 0.3, 0.5))
EQUAL = Compared(Interval(0.99, 0.98, 1.0), Interval(0.98, 0.97, 0.99), Interval(-0.01, -0.02, 0.0))


def hardening(robust: Compared = BETTER) -> Hardening:
    return Hardening(
        model="zoo:tiny",
        data="images",
        campaign="runs/a",
        repair="retrain",
        region="linf:0.1",
        accuracy=EQUAL,
        attacks={"pgd": BETTER},
        robust_accuracy=robust,
        clever=Compared(Interval(0.5, 0.4, 0.6), Interval(0.7, 0.6, 0.8), Interval(0.2, 0.1, 0.3)),
        replayed={"trained_on": BETTER},
        training={
            "benign": 500,
            "findings": 1,
            "epochs": 20,
            "kept_epoch": 18,
            "validation_before": 0.99,
            "validation_after": 0.975,
            "tolerance": 0.02,
        },
        counts={"fresh": 1000, "attacked": 100, "clever": 20, "validation": 50},
        weights="runs/m/<weights>.safetensors",
        out="runs/m",
        warnings=("a <warning>",),
        seconds=61,
    )


def test_the_page_says_what_changed_and_how_sure_it_is() -> None:
    html = hardening_html(hardening(), "unnerve harden it", date=datetime(2025, 11, 15, 12, 30))
    said = " ".join(" ".join(parsed(html).text).split())
    assert (
        "Under attack 60 % of the inputs are answered correctly, where it was 20 % : a gain of 40 points ; without "
        "attack 98 % , where it was 99 % , which may be chance." in said
    )
    assert "The gain under attack is 30 to 50 percentage points (95 %). a <warning>" in said
    assert "trained on 500 benign inputs and 1 finding; epoch 18 of 20 is kept" in said
    assert "<warning>" not in html
    chart = payload(html)["charts"]["shares"]
    assert [trace["name"] for trace in chart["data"]] == ["before", "after"]
    assert len(chart["data"][0]["x"]) == 4, "CLEVER is a distance, and no share"


def test_a_change_that_may_be_chance_is_called_so() -> None:
    said = " ".join(" ".join(parsed(hardening_html(hardening(EQUAL))).text).split())
    assert "under attack 98 % , where it was 99 % , which may be chance." in said


def test_a_loss_that_is_not_chance_leads_a_gain_that_may_be() -> None:
    lost = Compared(Interval(0.99, 0.98, 1.0), Interval(0.97, 0.96, 0.98), Interval(-0.02, -0.03, -0.01))
    gained = Compared(Interval(0.7, 0.3, 0.9), Interval(0.8, 0.4, 1.0), Interval(0.1, -0.2, 0.4))
    found = replace(hardening(gained), accuracy=lost)
    said = " ".join(" ".join(parsed(hardening_html(found)).text).split())
    assert "Without attack 97 % of the inputs are answered correctly, where it was 99 % : a loss of 2 points" in said
    assert "under attack 80 % , where it was 70 % , which may be chance" in said
    assert "The loss without attack is 1 to 3 percentage points (95 %)." in said


def test_the_text_has_every_figure() -> None:
    lines = hardening_text(hardening(), "r.html").splitlines()
    assert any(line.split()[:1] == ["CLEVER"] and "0.2" in line for line in lines)
    assert any("attack success, pgd" in line and "20 %" in line and "60 %" in line for line in lines)
    assert lines[-1] == "Report: r.html"
