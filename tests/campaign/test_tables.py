from io import BytesIO

from unnerve.campaign._tables import outcome_of, read_shard, write_shard
from unnerve.campaign.outcome import Outcome, SeedRecord
from unnerve.campaign.sealing.seal import SealedAs
from unnerve.core.findings import Finding, finding_id

FINDING = Finding(
    finding_id("a", b"\0\1\2\3" * 4),
    "a",
    None,
    0,
    1,
    0.5,
    0.75,
    4,
    0.25,
    0.125,
    7,
    1.5,
    b"\0\1\2\3" * 4,
    (1, 2, 2),
    "float32",
)
OWNER = SealedAs("plan", "shard")
SEEDS = (SeedRecord("a", 12, 5, 4), SeedRecord("b", 0, 0, 0, "raised: naïve"))


def test_what_was_stored_comes_back_as_it_was() -> None:
    told = FINDING._replace(parameters=(0.5, -1.0), evidence=(("entropy", 0.1), ("draws", 3.0)))
    for findings in ((), ((FINDING, 9), (FINDING._replace(label=3), 11)), ((told, 4),)):
        file = BytesIO()
        write_shard(file, "pgd", Outcome(findings, SEEDS), OWNER)
        assert outcome_of(*read_shard(file.getvalue(), None, OWNER)) == Outcome(findings, SEEDS)
