"""Take the screenshots of the dashboard for the README and the documentation: `.venv/bin/python docs/screenshots.py`.

They show the sample store of `howsure demo` in the system's Chromium or Chrome.
"""

import shutil
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from howsure.cli.sample import fill
from howsure.serve.server import ServerOptions, bind, make_server, url_of
from howsure.sure import Sure
from howsure.sure import open as open_store

IMAGES = Path(__file__).parent / "images"
NOW = 1_798_797_600.0
"""The morning of 1 January 2027."""
SIZE = {"width": 1200, "height": 780}


def take(sure: Sure) -> None:
    """Serve the dashboard of a store and take the screenshots."""
    server = make_server(sure, options=ServerOptions(pages=True))
    with bind("127.0.0.1", 0) as listening:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        claim = sure.claims.find("payments", limit=1).claims[0]
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(
                    executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
                )
                for name, path, scheme in (
                    ("dashboard-overview", "/", "light"),
                    ("dashboard-claim", f"/claims/{claim.id}", "dark"),
                ):
                    page = browser.new_page(viewport=SIZE, color_scheme=scheme)
                    page.goto(url_of(listening) + path, wait_until="networkidle")
                    page.wait_for_timeout(500)
                    page.screenshot(path=IMAGES / f"{name}.png")
                browser.close()
        finally:
            server.should_exit = True
            thread.join()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/demo.db", clock=lambda: NOW) as store:
        fill(store, NOW)
        take(store)
