"""Pages as a browser would read them."""

import json
import re
from html.parser import HTMLParser
from typing import Any

__all__ = ["Tags", "parsed", "payload"]


class Tags(HTMLParser):
    """Collects what a browser would build."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def parsed(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    return tags


def payload(html: str) -> Any:
    found = re.search(r'<script type="application/json" id="payload">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])
