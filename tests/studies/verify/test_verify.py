"""What verify says of campaigns that are as they were written, of damaged ones, and of claims that are not true."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import torch
from torch import Tensor, nn

import unnerve
from unnerve.campaign._tables import outcome_of
from unnerve.campaign.outcome import Outcome
from unnerve.campaign.sealing.header import write_header
from unnerve.campaign.store import DamagedShard
from unnerve.cli.main import main
from unnerve.core.data.clips import Clips
from unnerve.core.errors import InvalidData, InvalidSetting
from unnerve.core.findings import Finding, finding_id
from unnerve.studies.campaign.campaign import Campaign
from unnerve.subjects.datasets.tensors import tensors


class Bright(nn.Module):
    """Says 1 where the first of four values is more than a half."""

    def __init__(self, slope: float = 20.0) -> None:
        super().__init__()
        self.slope = nn.Parameter(torch.tensor(slope))

    def forward(self, x: Tensor) -> Tensor:
        lit = self.slope * (x.flatten(1)[:, 0] - 0.5)
        return torch.stack([-lit, lit], dim=1)


def hunted(out: str, **more: Any) -> Campaign:
    inputs = torch.full((6, 1, 2, 2), 0.45)
    data = tensors(inputs, torch.zeros(6, dtype=torch.int64), name="grey")
    return unnerve.hunt(Bright(), data, "pgd:steps=5", out, region="linf:0.2", inputs=6, shard=3, **more)


@pytest.fixture
def campaign(tmp_path: Path) -> Campaign:
    return hunted(str(tmp_path / "run"))


def rewritten(campaign: Campaign, **changed: Any) -> Finding:
    """Store a shard anew, sealed as ever, with one finding that claims something else; return that one."""
    shard, table, records = next(campaign.store.shards())
    outcome = outcome_of(table, records)
    (first, spent), *rest = outcome.findings
    other = first._replace(**changed)
    campaign.store.write(shard, "pgd", Outcome(((other, spent), *rest), outcome.seeds))
    return other


def test_a_campaign_as_it_was_written_holds(campaign: Campaign) -> None:
    assert campaign.findings.num_rows > 6
    stored, again = unnerve.verify(campaign), unnerve.verify(campaign.store.path, Bright())
    assert (stored.held, stored.shards, stored.run_again) == (True, 2, None)
    assert (again.held, again.run_again) == (True, campaign.findings.num_rows)
    assert again.table().num_rows == 0
    assert "all held" in again.headline()


def test_every_damaged_file_is_named(campaign: Campaign) -> None:
    folder = Path(campaign.store.path)
    for name in ("campaign.json", "seeds.parquet", *(f"shards/{path.name}" for path in folder.glob("shards/*"))):
        whole = (folder / name).read_bytes()
        place = whole.index(b"grey") if name == "campaign.json" else len(whole) // 3
        (folder / name).write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        seen = unnerve.verify(folder)
        assert [one.place for one in seen.problems] == [name]
        (folder / name).write_bytes(whole)
    assert unnerve.verify(folder).held


def test_stability_that_was_deleted_is_told(campaign: Campaign) -> None:
    note = "stability.json is not there"
    assert not any(one.startswith(note) for one in unnerve.verify(campaign.store.path).notes)
    Path(campaign.store.path, "stability.json").unlink()
    seen = unnerve.verify(campaign.store.path)
    assert seen.held, "older campaigns have none"
    assert sum(one.startswith(note) for one in seen.notes) == 1


def test_shards_that_nobody_planned_are_named(campaign: Campaign) -> None:
    folder = Path(campaign.store.path, "shards")
    (folder / "method07-seeds0000000-0000003.parquet").write_bytes(next(folder.glob("*")).read_bytes())
    (problem,) = unnerve.verify(campaign).problems
    assert problem.place == "shards/method07-seeds0000000-0000003.parquet"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [({"linf": 0.01}, "its linf is"), ({"l0": 0}, "its l0 is"), ({"l2": 0.0}, "its l2 is"), ({"before": 1}, None)],
)
def test_what_a_finding_says_of_itself_is_measured_again(
    campaign: Campaign, changed: dict[str, Any], reason: str | None
) -> None:
    other = rewritten(campaign, **changed)
    seen = unnerve.verify(campaign)
    if reason is None:  # what the model says, only the model knows
        assert seen.held
        return
    (problem,) = seen.problems
    assert problem.place.endswith(f"finding {other.id}")
    assert reason in problem.reason


def test_inputs_that_are_not_what_their_ids_were_made_of_are_named(campaign: Campaign) -> None:
    """Their seal is in order, so that only the content hash can tell."""
    data = torch.full((1, 2, 2), 0.46).numpy().tobytes()
    other = rewritten(campaign, input=data, l0=4, l2=0.02, linf=0.01)
    (problem,) = unnerve.verify(campaign).problems
    assert problem.place.startswith("shards/")
    assert f"finding {other.id} is not what its id was made of" in problem.reason


def test_inputs_outside_the_region_are_named(campaign: Campaign) -> None:
    data = torch.full((1, 2, 2), 0.9).numpy().tobytes()
    seed = next(campaign.store.shards())[1]["seed_id"][0].as_py()
    rewritten(campaign, input=data, id=finding_id(seed, data))
    (problem,) = unnerve.verify(campaign).problems
    assert problem.reason == "it lies outside the region"


def test_clips_that_are_longer_than_their_seeds_are_named(tmp_path: Path) -> None:
    waves = torch.tensor([0.45, 0.3, 0.2, 0.1, 0.0, 0.0]).repeat(3, 1)
    made = tensors(waves, torch.zeros(3, dtype=torch.int64), name="tones")
    data = replace(made, value_range=(-1.0, 1.0), clips=Clips(16_000))
    campaign = unnerve.hunt(Bright(), data, "pgd:steps=5", str(tmp_path / "run"), region="linf:0.2", inputs=3)
    assert unnerve.verify(campaign).held
    _, table, _ = next(campaign.store.shards())
    longer = outcome_of(table, []).findings[0][0].tensor()
    longer[-1] = 0.1
    seed, stored = table["seed_id"][0].as_py(), longer.numpy().tobytes()
    change = longer - waves[0]
    sizes = {"l0": int((change != 0).sum()), "l2": float(change.norm()), "linf": float(change.abs().amax())}
    rewritten(campaign, input=stored, id=finding_id(seed, stored), **sizes)
    (problem,) = unnerve.verify(campaign).problems
    assert problem.reason == "it lies outside the region"


def test_findings_that_say_that_they_lie_outside_are_not_read(campaign: Campaign) -> None:
    size = campaign.plan.region.size
    assert size is not None
    rewritten(campaign, linf=size * 1.1)
    for read in (lambda: campaign.findings, campaign.tensors, lambda: list(campaign.store.shards(["seed_id"]))):
        with pytest.raises(DamagedShard, match=r"\(a finding lies outside linf:"):
            read()


@pytest.mark.parametrize("changed", [{"after": 0}, {"before": 1}])
def test_findings_that_the_model_answers_otherwise_are_named(campaign: Campaign, changed: dict[str, Any]) -> None:
    other = rewritten(campaign, **changed)
    (problem,) = unnerve.verify(campaign, Bright()).problems
    assert problem.place.endswith(f"finding {other.id}")
    assert "it is answered 1 (seed 0)" in problem.reason


def test_findings_that_do_not_fail_are_named(campaign: Campaign) -> None:
    seed = next(campaign.store.shards())[1]["seed_id"][0].as_py()
    data = torch.full((1, 2, 2), 0.46).numpy().tobytes()
    rewritten(campaign, input=data, id=finding_id(seed, data), l0=4, l2=0.02, linf=0.01)
    assert unnerve.verify(campaign).held
    (problem,) = unnerve.verify(campaign, Bright()).problems
    assert problem.reason == "it does not fail when it is run again"


def test_another_model_is_refused(campaign: Campaign) -> None:
    with pytest.raises(InvalidSetting, match=r"is not the model of the campaign, Bright: its hash is"):
        unnerve.verify(campaign, Bright(3.0))


def test_nothing_is_there_to_be_verified(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="there is no campaign"):
        unnerve.verify(tmp_path)


def test_exit_codes_and_json(campaign: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    path = campaign.store.path
    assert main(["verify", path]) == 0
    file = next(Path(path, "shards").glob("*.parquet"))
    file.write_bytes(file.read_bytes()[:-3])
    capsys.readouterr()
    assert main(["verify", path, "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["held"], len(told["problems"])) == (False, 1)
    assert main(["verify", path, "--model", "zoo:lenet5"]) == 2
    assert main(["verify", f"{path}-not"]) == 2


def test_somebodys_region_is_not_run(campaign: Campaign, tmp_path: Path) -> None:
    trap = tmp_path / "trap.py"
    trap.write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Diamond: pass\n")
    from unnerve.studies.verify._stored_claims import claims_of

    plan = campaign.plan
    for described in ({"name": f"{trap}:Diamond"}, {"name": "linf", "radius": {"kind": "region", "name": f"{trap}:D"}}):
        object.__setattr__(plan.region, "described", described)
        claims, notes = claims_of(plan)
        assert claims.region is None
        assert "somebody's own code" in notes[0]
    assert not (tmp_path / "ran").exists()


def test_other_versions_are_told(campaign: Campaign) -> None:
    from unnerve.core.data.versions import other_versions

    assert other_versions(campaign.header["versions"]) is None
    said = other_versions({**campaign.header["versions"], "torch": "1.0"})
    assert said is not None
    assert "torch 1.0, now" in said


def test_other_versions_are_told_on_resume(campaign: Campaign) -> None:
    parts = {key: value for key, value in campaign.header.items() if key not in ("format", "seal")}
    parts["versions"] = {**parts["versions"], "torch": "1.0", "processor": "abacus"}
    write_header(campaign.store.folder, parts)
    with pytest.warns(UserWarning, match=r"other versions \(torch 1\.0, now .*; processor abacus, now "):
        hunted(campaign.store.path, resume=True)
    assert any("abacus" in note for note in unnerve.verify(campaign.store.path).notes)


def test_the_table_has_a_row_per_problem(campaign: Campaign) -> None:
    rewritten(campaign, linf=0.01)
    table = unnerve.verify(campaign).table()
    assert (table.num_rows, table.schema.names) == (1, ["place", "reason"])
    assert isinstance(table, pa.Table)


def test_some_findings_alone_are_run_again(campaign: Campaign) -> None:
    one, two, *_ = campaign.findings["id"].to_pylist()
    seen = unnerve.verify(campaign, Bright(), ids=[one, two])
    assert (seen.held, seen.findings, seen.run_again) == (True, 2, 2)
    with pytest.raises(InvalidSetting, match=r"ids must be of findings of .*, got 'unknown'"):
        unnerve.verify(campaign, ids=f"{one},unknown")


@pytest.mark.parametrize("options", [["--weights", "nowhere.pt"], ["--trust"], ["--peers", "zoo:lenet5"]])
def test_options_of_a_model_need_one(
    options: list[str], campaign: Campaign, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", campaign.store.path, *options]) == 2
    shown = capsys.readouterr()
    verb = "are" if options[0] == "--peers" else "is"
    assert shown.out == ""
    assert shown.err == f"unnerve: {options[0]} {verb} for running findings again, with --model\n"
