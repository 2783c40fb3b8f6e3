"""How the pictures of the documentation are made: a part of a report, photographed in chromium.

python docs/_code/picture.py runs/nsatp/report.html docs/reproduction/results/nsatp.png --part .figures
"""

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

QUIET = [f"--{flag}" for flag in ("no-sandbox", "disable-gpu", "disable-background-networking", "disable-sync")]


def main() -> None:
    """Open a page and photograph one element of it, or its first screen."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--part", help="CSS selector; the first screen by default")
    parser.add_argument("--width", type=int, default=1240)
    parser.add_argument("--height", type=int, default=1500)
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=QUIET)
        page = browser.new_page(viewport={"width": given.width, "height": given.height})
        page.set_default_timeout(300_000)
        page.goto(given.page.resolve().as_uri())
        page.wait_for_selector(".js-plotly-plot .main-svg")
        page.wait_for_timeout(1000)
        page.add_style_tag(content="nav { position: static !important; }")  # it would lie across what is long
        shown = page.locator(given.part) if given.part else page
        shown.screenshot(path=given.picture)
        browser.close()


if __name__ == "__main__":
    main()
