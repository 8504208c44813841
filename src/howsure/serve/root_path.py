"""Serve below a path, such as /howsure, behind a proxy.

Inside, nothing knows of the path: it is removed from requests, if the proxy has not done that, and put before every
link, redirect and cookie that leaves. So it does not matter which way a proxy is configured.
"""

import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from howsure.errors import InputError, shown

_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)+")
_LINK = re.compile(r'(\s(?:href|src|action|formaction|hx-get|hx-post)=")(?=/(?!/))')
"""An attribute of HTML with a path of this server. Texts cannot look like one, since their quotes are escaped."""
_HEADERS = ("location", "hx-push-url", "hx-redirect")
"""Headers that may hold a path."""


def parse_root_path(path: str) -> str:
    """Return a root path without a slash at its end; empty for the root itself.

    Raises:
        InputError: if it is not a plain path.

    >>> parse_root_path("/tools/howsure/"), parse_root_path("/")
    ('/tools/howsure', '')
    """
    plain = path.rstrip("/")
    if plain and (not _PATH.fullmatch(plain) or {".", ".."} & set(plain.split("/"))):
        raise InputError(f"invalid root path {shown(path)}", field="root-path", hint="like /howsure")
    return plain


def add_root_path(html: str, root_path: str) -> str:
    """Return HTML whose links to this server start with the root path.

    >>> add_root_path('<a href="/claims">&#34;/x&#34;</a> <a href="//other.example">', "/howsure")
    '<a href="/howsure/claims">&#34;/x&#34;</a> <a href="//other.example">'
    """
    return _LINK.sub(rf"\1{root_path}", html) if root_path else html


class RootPath:
    """ASGI middleware that removes the root path from requests and adds it to headers of responses."""

    def __init__(self, app: ASGIApp, *, root_path: str) -> None:
        """Wrap an application that is reached below this path."""
        self._app = app
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        root = self._root_path
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = scope["path"]
        if path == root or path.startswith(f"{root}/"):
            scope = {**scope, "path": path.removeprefix(root) or "/"}

        async def send_with_root(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name in _HEADERS:
                    if headers.get(name, "").startswith("/"):
                        headers[name] = root + headers[name]
                if "set-cookie" in headers:
                    headers["set-cookie"] = re.sub(r"(?i); path=/(?=;|$)", f"; Path={root}", headers["set-cookie"])
            await send(message)

        await self._app(scope, receive, send_with_root)
