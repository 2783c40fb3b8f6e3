"""What a reproduction leaves in its folder."""

import json

from tests.reports.reproductions import a_reproduction
from unnerve.reports.reproduction.files import reproduction_files


def test_files() -> None:
    files = reproduction_files(a_reproduction(), "unnerve reproduce someone")
    assert set(files) == {"results.json", "results.md", "report.html"}
    assert json.loads(files["results.json"])["claims"][0] == {
        "claim": "it works",
        "paper": "always",
        "ours": "once",
        "ci95": [0.25, 1.0],
        "held": True,
        "verdict": "held",
        "rule": "once is enough",
        "place": "Table I",
        "quote": "it does",
    }
    assert (
        '| it works | always; "it does" (Table I) | once | 0.25 to 1 | once is enough | held |' in files["results.md"]
    )
    assert "| a\\|b | 1; beyond the papers | 2 | - | 1 = 2 | not held |" in files["results.md"]
    assert "### Table I: all\n\n| network | PD |\n| --- | --- |\n| net1 | 3 |" in files["results.md"]
    assert "Not run: MNIST: not there." in files["results.md"]
