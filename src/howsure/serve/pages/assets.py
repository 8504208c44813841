"""Assets: the files that pages load, each at an address that holds the digest of its content.

All are known when the server starts, and looked up by name: no request ever becomes a path of the file system.
"""

import gzip
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from howsure.files import sha256

_FOLDER = Path(__file__).with_name("assets")
_KINDS = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
FOR_EVER = "public, max-age=31536000, immutable"
"""How long an address with the right digest may be kept: its content never changes."""


class Asset(NamedTuple):
    """A file that pages load."""

    content: bytes
    packed: bytes
    """The same, compressed."""
    kind: str
    digest: str


@lru_cache(maxsize=1)
def assets() -> dict[str, Asset]:
    """Return every asset by its name, read once."""
    found = {}
    for path in sorted(_FOLDER.rglob("*")):
        if path.suffix in _KINDS and path.is_file():
            content = path.read_bytes()
            digest = sha256(content).hexdigest()[:16]
            packed = gzip.compress(content, 6, mtime=0)
            found[path.relative_to(_FOLDER).as_posix()] = Asset(content, packed, _KINDS[path.suffix], digest)
    return found


def address(name: str) -> str:
    """Return where an asset is, as long as it is what it is.

    >>> address("pages.css").startswith("/assets/")
    True
    """
    return f"/assets/{assets()[name].digest}/{name}"


def serve(request: Request) -> Response | None:
    """Answer a request for an asset; nothing, where there is none of that name."""
    found = assets().get(request.path_params["name"])
    if found is None:
        return None
    current = request.path_params["digest"] == found.digest
    etag = f'"{found.digest}"'
    headers = {"Cache-Control": FOR_EVER if current else "no-cache", "ETag": etag, "Vary": "Accept-Encoding"}
    if etag in (tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")):
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(found.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=found.kind)
    return Response(found.content, headers=headers, media_type=found.kind)
