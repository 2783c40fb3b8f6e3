"""The documentation is true: its commands and programs run, and it names everything there is.

In README.md, the tutorial and the how-to pages a block ``console`` is run, line by line (``$ unnerve ...``,
``$ python FILE``); a block ``python title="FILE"`` is written to that file; other ``python`` blocks are run in turn,
in one namespace a page. ``bash`` and ``text`` blocks are only shown. In errors.md a command must fail with exactly the
line below it, where ``...`` stands for anything.
"""

import ast
import json
import os
import re
import runpy
import shlex
import sys
import warnings
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

import unnerve.studies.demo
import unnerve.studies.rank.evaluate_ranking
from unnerve.cli.app import app
from unnerve.cli.main import main
from unnerve.core.naming.catalogue import KINDS, names
from unnerve.core.results import Result
from unnerve.studies.rank.evaluate_ranking import evaluate_ranking
from unnerve.studies.rank.ranking_proof import RankingProof
from unnerve.studies.rank.settings import RankingTrial
from unnerve.subjects.data import examples

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.glob("tutorial/*.md")), *sorted(DOCS.glob("how-to/*.md"))]
VERBS: dict[str, Any] = vars(typer.main.get_command(app))["commands"]
BLOCK = re.compile(r"^```(?P<kind>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    kind: str
    title: str | None
    text: str

    def commands(self) -> Iterator[tuple[list[str], str]]:
        """Yield every command with what is shown below it."""
        for part in self.text.split("$ ")[1:]:
            line, _, shown = part.partition("\n")
            yield shlex.split(line), shown.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.usefixtures("workshop")
def test_page_runs(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    namespace: dict[str, Any] = {"__name__": page.stem}
    for block in blocks(page):
        if block.title is not None:
            Path(block.title).write_text(block.text)
        elif block.kind == "python":
            exec(compile(block.text, str(page), "exec"), namespace)  # noqa: S102 - our own pages
        elif block.kind == "console":
            for words, _ in block.commands():
                assert run(words) == 0, f"{shlex.join(words)}: {capsys.readouterr().err}"


@pytest.mark.usefixtures("workshop")
def test_the_notebook_runs_and_shows_every_result() -> None:
    """Run the cells as a notebook does: what stands on the last line of a cell is shown."""
    cells = json.loads((DOCS / "tutorial/notebook.ipynb").read_text())["cells"]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    shown = []
    for cell in (one for one in cells if one["cell_type"] == "code"):
        tree = ast.parse(cell["source"])
        last = tree.body.pop()
        assert isinstance(last, ast.Expr), "a cell ends with what it shows"
        exec(compile(tree, "cell", "exec"), namespace)  # noqa: S102 - our own notebook
        shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), namespace))  # noqa: S307
    tables = [one._repr_html_() for one in shown if isinstance(one, Result)]
    assert len(tables) == 4
    assert all("<table" in table for table in tables)
    assert Path("runs/notebook/report.html").is_file()


@pytest.mark.usefixtures("workshop")
def test_errors_read_as_documented(capsys: pytest.CaptureFixture[str]) -> None:
    shown = [pair for block in blocks(DOCS / "reference/errors.md") for pair in block.commands()]
    assert shown
    for words, message in shown:
        assert run(words) == 2, shlex.join(words)
        wanted = re.escape(message).replace(re.escape("..."), ".+")
        assert re.fullmatch(wanted, said := capsys.readouterr().err.strip()), said
    assert list(Path().iterdir()) == [Path("data")] * Path("data").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_every_option_is_documented(verb: str) -> None:
    section = sections(DOCS / "reference/cli.md")[verb]
    documented = set(re.findall(r"^\| `(--[\w-]+)` \|", section, re.MULTILINE))
    assert documented == {name for one in VERBS[verb].params for name in one.opts if name.startswith("--")}
    for argument in (one for one in VERBS[verb].params if not one.opts[0].startswith("-")):
        assert argument.metavar.strip("[]") in section


def test_no_verb_is_missing_or_invented() -> None:
    readme = (ROOT / "README.md").read_text()
    assert set(VERBS) == set(sections(DOCS / "reference/cli.md")) - {"For every verb"}
    assert set(VERBS) == set(re.findall(r"^\| `unnerve (\w+)", readme, re.MULTILINE))


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_has_its_row(kind: str) -> None:
    section = sections(DOCS / "reference/methods.md")[f"{kind.capitalize()}{'es' if kind.endswith('ch') else 's'}"]
    rows = dict(re.findall(r"^\| `(\w+)` \| ([\w/]+) \|", section, re.MULTILINE))
    assert set(rows) == set(names(kind))
    assert set(rows.values()) == {room.replace(".", "/") for room in KINDS[kind]}


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s:]*)(?:#([\w-]+))?\)", page.read_text()):
        path = (page.parent / target).resolve() if target else page
        if path.parent == DOCS / "decisions":  # a copy that the site makes of the record
            path = ROOT / "decisions" / path.name
        assert path.exists(), f"{page.name}: {target}"
        assert not anchor or anchor in anchors(path), f"{page.name}: {target}#{anchor}"


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder, with the real data in ``data`` if it is here, and with small demos and proofs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    real = Path(os.environ.get("UNNERVE_DATA", ROOT.parent / "shared" / "data"))
    if real.is_dir():
        Path("data").symlink_to(real)
    monkeypatch.setattr(unnerve.studies.rank.evaluate_ranking, "evaluate_ranking", small_proof)
    monkeypatch.setattr(unnerve.studies.demo, "evaluate_ranking", small_proof)
    monkeypatch.setattr(unnerve.studies.demo, "examples", lambda name: examples(name, limit=500))
    for name in ("net", "fit"):  # pages have files of the same name
        monkeypatch.delitem(sys.modules, name, raising=False)


def small_proof(
    model: Any, data: Any, scores: Any = ("pd",), trial: RankingTrial | None = None, **more: Any
) -> RankingProof:
    """Prove as asked for, but with few inputs, tries and repeats."""
    own = {field.name: more.pop(field.name) for field in fields(RankingTrial) if field.name in more}
    asked = trial or RankingTrial(**own)
    few = {"inputs": 40, "tries": 10, "repeats": 2}
    small = replace(asked, **{name: min(limit, getattr(asked, name)) for name, limit in few.items()})
    proof: RankingProof = evaluate_ranking(model, data, scores, trial=small, **more)
    return proof


def run(words: list[str]) -> int:
    """Run ``unnerve ...`` or ``python FILE`` here; commands that need data that is not here pass."""
    if any("data/" in word for word in words) and not Path("data").exists():
        return 0
    if words[0] == "python":
        with warnings.catch_warnings():  # of a reader's own program: torch warns of what it will drop one day
            warnings.simplefilter("ignore")
            runpy.run_path(words[1], run_name="__main__")
        return 0
    assert words[0] == "unnerve"
    return main(words[1:])


def blocks(page: Path) -> list[Block]:
    return [Block(*found.groups()) for found in BLOCK.finditer(page.read_text())]


def sections(page: Path) -> dict[str, str]:
    """Return the text below each heading of the second level."""
    parts = re.split(r"^## (.+)$", page.read_text(), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip()) for heading in headings}
