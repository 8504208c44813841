"""Assets: served by name, kept for ever under their digest, and exactly what others have published."""

import gzip
import re
from pathlib import Path

import pytest

import howsure.serve.pages
from howsure.files import sha256
from howsure.serve.pages.assets import IMMUTABLE, asset_url, assets
from tests.serve.pages.conftest import Site
from tests.serve.serving import raw

FOLDER = Path(howsure.serve.pages.__file__).parent / "assets"


def test_assets_have_a_content_type_and_are_cached(closed: Site) -> None:
    for name, kind in (
        ("pages.css", "text/css"),
        ("vendor/vega.min.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    ):
        answer = closed.client.get(asset_url(name))
        assert answer.status_code == 200
        assert answer.headers["content-type"].partition(";")[0] == kind
        assert answer.headers["cache-control"] == IMMUTABLE
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-encoding"] == "gzip"
        assert answer.content == (FOLDER / name).read_bytes()
        again = closed.client.get(asset_url(name), headers={"If-None-Match": f"W/{answer.headers['etag']}"})
        assert (again.status_code, again.content) == (304, b"")
    plain = closed.client.get(asset_url("pages.css"), headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == (FOLDER / "pages.css").read_bytes()
    old = closed.client.get("/assets/0123456789abcdef/pages.css")
    assert (old.status_code, old.headers["cache-control"]) == (200, "no-cache")
    assert closed.client.post(asset_url("pages.css")).status_code == 405


@pytest.mark.parametrize(
    "path",
    [
        "/assets/x/../assets.py", "/assets/x/..%2fassets.py", "/assets/x/%2e%2e/assets.py",
        "/assets/x/vendor/VENDORED.md",
        "/assets/x//etc/passwd", "/assets/x/vendor", "/assets/x/", "/assets/x/pages.css%00",
        "/assets/x/vendor/../pages.css",
        "/assets/x/..%5c..%5cassets.py", "/assets/../../pyproject.toml",
    ],
)  # fmt: skip
def test_only_listed_assets_are_served(closed: Site, path: str) -> None:
    answer = raw(closed.client, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 404 ", b"HTTP/1.1 400 ")), answer[:100]


def test_vendored_files_are_what_the_list_says() -> None:
    listed = dict(
        re.findall(
            r"^\| `([^`]+)` .* `([0-9a-f]{64})` \|$", (FOLDER / "vendor" / "VENDORED.md").read_text(), re.MULTILINE
        )
    )
    files = {path.name for path in (FOLDER / "vendor").glob("*.js")}
    assert set(listed) == files
    for name, digest in listed.items():
        assert sha256((FOLDER / "vendor" / name).read_bytes()).hexdigest() == digest, name
    licences = (FOLDER / "vendor" / "LICENSES.txt").read_text()
    assert all(f"({name})" in licences for name in files)


def test_compressed_assets_have_the_same_content() -> None:
    for name, asset in assets().items():
        assert gzip.decompress(asset.gzipped) == asset.content, name
