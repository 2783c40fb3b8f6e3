from pathlib import Path

import numpy as np
import pytest

from unnerve.campaign.plan import HuntPlan, Plan, Source
from unnerve.campaign.records import recorded
from unnerve.campaign.store import Store
from unnerve.core.data.clips import Clips
from unnerve.core.data.openings import Opening
from unnerve.core.data.provenance import Call, Provenance
from unnerve.core.naming.catalogue import build
from unnerve.core.patterns import Thresholds
from unnerve.reports.map.text import map_text
from unnerve.studies.campaign.campaign import Campaign
from unnerve.studies.map.result import METRICS, Group, UncertaintyMap
from unnerve.subjects.datasets.tensors import tensors


def group(name: str, pcs: list[float], uncertainty: list[float]) -> Group:
    ids = tuple(f"{name}{place}" for place in range(len(pcs)))
    figures = {metric: np.array(uncertainty) for metric in METRICS} | {"pcs": np.array(pcs)}
    zeros = np.zeros(len(pcs), dtype=int)
    return Group(name, ids, ids, figures, zeros, zeros, {5: np.array(uncertainty) + 0.25})


def hunted(folder: Path, **details: object) -> Campaign:
    pgd, region, oracle = build("hunter", "pgd"), build("region", "linf:0.3"), build("oracle", "changed")
    plan: HuntPlan = Plan(Source("m", "0"), Source("d", "1", details), (pgd,), region, oracle, 2)
    store = Store(str(folder / "run"))
    store.begin(recorded(plan, (1, 4, 4)), {}, tensors(np.zeros((2, 1, 4, 4), dtype=np.float32)), resume=False)
    return Campaign(store)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return hunted(tmp_path)


def test_tells_the_story(campaign: Campaign) -> None:
    groups = [group("benign", [0.9, 0.8], [0.1, 0.2]), group("pgd\x1b[31m", [0.05, 0.85], [0.9, 0.7])]
    text = map_text(UncertaintyMap(campaign, {one.name: one for one in groups}, Thresholds(), 50, "0.4"), "map.parquet")
    assert text.startswith("VRO tells benign from adversarial inputs best: AUC 1 on average, 1 for pgd")
    assert "\x1b" not in text
    lines = {line.split()[0]: line for line in text.splitlines() if line.startswith("  ")}
    assert lines["benign"].split() == ["benign", "0", "%", "0", "%", "100", "%", "0", "%", "0", "%"]
    assert "0.25 after 5 draws" in text
    assert "linf:0.3" in text
    assert "Table: map.parquet" in text
    assert "Report" not in text


def test_the_last_lines_say_where_the_report_is_and_what_comes_next(campaign: Campaign) -> None:
    groups = {"benign": group("benign", [0.9], [0.1]), "pgd": group("pgd", [0.8], [0.2])}
    made = Provenance(Call("map"), Opening("zoo:tiny"), Opening("made-up"))
    found = UncertaintyMap(campaign, groups, Thresholds(), 50, "0.4", provenance=made)
    *_, report, following = map_text(found, "map.parquet", "run\x1b/map.html").splitlines()
    assert report == "Report: run\u241b/map.html"
    path = campaign.store.path
    wanted = f"unnerve defend zoo:tiny made-up --defences all --against {path} --report {path}-defences.html"
    assert following == f"Next: {wanted}"


def test_clips_are_defended_by_what_takes_them(tmp_path: Path) -> None:
    groups = {"benign": group("benign", [0.9], [0.1]), "pgd": group("pgd", [0.8], [0.2])}
    made = Provenance(Call("map"), Opening("zoo:tiny"), Opening("speech:clips.npz"))
    clips = hunted(tmp_path, clips=Clips(8000).to_json())
    *_, following = map_text(UncertaintyMap(clips, groups, Thresholds(), 50, "0.4", provenance=made)).splitlines()
    assert "--defences activation_classifier,bit_depth:8 --inputs 100 --against" in following


def test_nothing_found_is_said(campaign: Campaign) -> None:
    groups = [group("benign", [0.9, 0.8], [0.1, 0.2]), group("pgd", [], [])]
    text = map_text(UncertaintyMap(campaign, {one.name: one for one in groups}, Thresholds(), 50, "0.4"))
    assert text.startswith("No attack found anything")
    assert "Table" not in text
