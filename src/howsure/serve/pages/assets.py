"""Styles, scripts and icons of the pages, each at an address with the digest of its content.

All files are read when the server starts and looked up by name: no request ever becomes a path in the file system.
"""

import gzip
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from howsure.files import sha256

_FOLDER = Path(__file__).with_name("assets")
_CONTENT_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
IMMUTABLE = "public, max-age=31536000, immutable"
"""Cache-Control of an address with the right digest: its content never changes."""


class Asset(NamedTuple):
    """A file that pages load."""

    content: bytes
    gzipped: bytes
    content_type: str
    digest: str


@lru_cache(maxsize=1)
def assets() -> dict[str, Asset]:
    """Return all assets by name, read once."""
    found = {}
    for path in sorted(_FOLDER.rglob("*")):
        if path.suffix in _CONTENT_TYPES and path.is_file():
            content = path.read_bytes()
            digest = sha256(content).hexdigest()[:16]
            gzipped = gzip.compress(content, 6, mtime=0)
            name = path.relative_to(_FOLDER).as_posix()
            found[name] = Asset(content, gzipped, _CONTENT_TYPES[path.suffix], digest)
    return found


def asset_url(name: str) -> str:
    """Return the address of an asset.

    >>> asset_url("pages.css").startswith("/assets/")
    True
    """
    return f"/assets/{assets()[name].digest}/{name}"


def serve(request: Request) -> Response | None:
    """Answer a request for an asset; None if there is none of that name."""
    asset = assets().get(request.path_params["name"])
    if asset is None:
        return None
    is_current = request.path_params["digest"] == asset.digest
    etag = f'"{asset.digest}"'
    headers = {"Cache-Control": IMMUTABLE if is_current else "no-cache", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in (tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.gzipped, headers=headers | {"Content-Encoding": "gzip"}, media_type=asset.content_type)
    return Response(asset.content, headers=headers, media_type=asset.content_type)
