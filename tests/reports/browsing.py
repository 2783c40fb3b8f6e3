"""Pages in a browser, and all that goes wrong or goes out there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["CHROMIUM", "DARK", "LIGHT", "Opened", "Visit", "launched", "visiting"]

CHROMIUM = Path("/usr/bin/chromium")
DARK, LIGHT = "rgb(21, 22, 26)", "rgb(251, 250, 247)"
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass(frozen=True)
class Opened:
    """A page in the browser, and all that went wrong or went out."""

    page: "Page"
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def wait_until(self, condition: str) -> None:
        """Wait for a condition, asked from here: waiting within the page evaluates a text, which its rules forbid."""
        for _ in range(100):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(condition)

    def expect_quiet(self) -> None:
        assert self.problems == []
        assert [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))] == []

    def count(self, selector: str) -> int:
        return self.page.locator(selector).count()


Visit = Callable[..., Opened]
"""visit(file, fragment="", width=1280, **settings of the context) -> Opened."""


@contextmanager
def launched() -> Iterator["Browser"]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def visiting(browser: "Browser") -> Iterator[Visit]:
    """Yield a way to open files, each in a context of its own, and close them all in the end."""
    contexts = []

    def visit(file: Path, fragment: str = "", width: int = 1280, **settings: Any) -> Opened:
        context = browser.new_context(viewport={"width": width, "height": 900}, **settings)
        contexts.append(context)
        context.set_default_timeout(60_000)
        result = Opened(context.new_page())
        result.page.on("console", lambda message: result.problems.append(message.text))
        result.page.on("pageerror", lambda error: result.problems.append(str(error)))
        result.page.on("request", lambda request: result.requests.append(request.url))
        result.page.goto(file.as_uri() + fragment)
        # Charts are drawn once their library is unpacked, which takes a moment.
        result.page.evaluate("typeof drawing === 'undefined' ? null : drawing")
        return result

    yield visit
    for context in contexts:
        context.close()
