"""What the site adds to its pages: formulas between ``$$``, and a page for every decision record."""

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

sys.path.insert(0, str(Path(__file__).parent))
from mathml import mathml

_FORMULA = re.compile(r"^\$\$ (?P<tex>.+) \$\$$", re.MULTILINE)
_LIST_BELOW_TEXT = re.compile(r"^(?P<text>[^\s-].*)\n(?=- )", re.MULTILINE)
_RECORDS = sorted(Path(__file__).parents[2].glob("decisions/*.md"))


def on_config(config: Any) -> Any:
    """List the records in the navigation."""
    decisions = next(entry for entry in config["nav"] if "Decisions" in entry)
    decisions["Decisions"] = [f"decisions/{record.name}" for record in _RECORDS]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Add the records themselves: there is one copy of each."""
    for record in _RECORDS:
        files.append(File.generated(config, f"decisions/{record.name}", abs_src_path=str(record)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Draw the formulas, and set off lists, which need an empty line here but not where records are read as text."""
    if page.file.src_uri.startswith("decisions/"):
        markdown = _LIST_BELOW_TEXT.sub(r"\g<text>\n\n", markdown)
    return _FORMULA.sub(lambda found: mathml(found["tex"]), markdown)
