from tests.papers.deepsensor_faults.conftest import Begun
from unnerve.papers.deepsensor_faults.experiments.hunted import Hits, hits_of, hunted
from unnerve.studies.campaign.campaign import Campaign


def test_seven_methods_hunt_with_as_many_queries(begun: Begun) -> None:
    plan, experiment = begun("hunted", "")
    found = hunted(plan, experiment)
    names = ("sensitive", "excitable", "DeepXplore", "DLFuzz", "DeepHunter", "PGD", "random noise")
    assert tuple(found.rows) == names
    assert all(len(row.errors) == 6 and row.queries <= 40 for row in found.rows.values())
    assert found.rows["PGD"].broken.sum() == 6
    assert found.accuracy > 0.97
    assert found.spreads()["PGD"].mean == 1


def test_of_a_polluted_network_only_its_class_counts_and_its_seeds_are_left_out(begun: Begun) -> None:
    plan, experiment = begun("hunted", "polluted:alpha=0.1,class=3")
    row = hits_of(plan, experiment, {"PGD": "pgd"})["PGD"]
    (folder,) = (experiment.folder / "campaigns").iterdir()
    findings = Campaign.at(folder).findings.to_pylist()
    assert all(one["label"] != 3 for one in findings)
    assert sum(row.errors) == sum(one["after"] == 3 for one in findings) < len(findings)
    assert row.kinds[0] == len({one["after"] for one in findings if one["seed_id"] == findings[0]["seed_id"]})


def test_a_seed_is_broken_by_one_error() -> None:
    hits = Hits((0, 3, 1, 0), (0, 2, 1, 0), 10.0)
    assert hits.broken.tolist() == [0, 1, 1, 0]
    assert hits.share().mean == 0.5
