"""Serving below a path: every link leads below it, whether the proxy removes the path or not."""

import re
from html import unescape
from http.cookiejar import DefaultCookiePolicy

import pytest

from howsure.errors import InputError
from howsure.serve.root_path import add_root_path, parse_root_path
from howsure.serve.tokens import Tokens
from howsure.sure import Sure
from tests.serve.pages.seeds import seed
from tests.serve.serving import Client, serving

ROOT = "/tools/howsure"
LINK = re.compile(r'\b(?:href|src|action|formaction|hx-get|hx-post)="([^"]*)"')


def _links(html: str) -> set[str]:
    return {unescape(link) for link in LINK.findall(html) if not link.startswith("#")}


def test_every_link_of_every_page_leads_below_the_path(store: Sure) -> None:
    seed(store)
    with serving(store, pages=True, root_path=f"{ROOT}/") as client:
        home = client.get(ROOT)
        assert (home.status_code, home.headers["location"]) == (303, f"{ROOT}/overview")
        waiting, seen = [f"{ROOT}/overview"], set[str]()
        while waiting:
            link = waiting.pop()
            seen.add(link)
            response = client.get(link)
            assert response.status_code in (200, 303, 405), link
            if response.headers.get("content-type", "").startswith("text/html"):
                links = _links(response.text)
                assert all(one.startswith(f"{ROOT}/") for one in links), (link, links)
                # One page of each kind is enough: the first of those that differ in an id or a filter.
                kinds = {_kind(one) for one in seen | set(waiting)}
                for one in sorted(one for one in links if not one.startswith(f"{ROOT}/v1/")):
                    if _kind(one) not in kinds:
                        kinds.add(_kind(one))
                        waiting.append(one)
        assert len(seen) > 25


def _kind(link: str) -> str:
    path, _, query = link.partition("?")
    names = sorted(part.partition("=")[0] for part in query.split("&"))
    return re.sub(r"/[a-z][0-9a-f]{20,}", "/ID", path) + "?" + ",".join(names)


def _log_in(client: Client, root: str, secret: str) -> None:
    form = client.get(f"{root}/claims").text
    (csrf,) = set(re.findall(r'name="csrf" value="(\w+)"', form))
    (back,) = re.findall(r'name="next" value="([^"]*)"', form)
    assert f'action="{ROOT}/login"' in form
    data = {"csrf": csrf, "next": unescape(back), "token": secret}
    entered = client.post(f"{root}/login", data=data)
    assert (entered.status_code, entered.headers["location"]) == (303, f"{ROOT}/claims")
    assert f"; Path={ROOT}" in entered.headers["set-cookie"]


@pytest.mark.parametrize("root", ["", ROOT])
def test_logging_in_works_whether_the_proxy_removes_the_path_or_not(store: Sure, root: str) -> None:
    _, secret = Tokens(store.session).create("ann", "admin")
    with serving(store, tokens=True, pages=True, root_path=ROOT) as client:
        client.cookies.jar.set_policy(_AnyPath())
        _log_in(client, root, secret)
        assert client.get(f"{root}/claims").status_code == 200
        headers = {"Authorization": f"Bearer {secret}"}
        assert client.get(f"{root}/v1/claims", headers=headers).json()["claims"] == []
        described = client.get(f"{root}/openapi.json", headers=headers).json()
        assert described["servers"] == [{"url": ROOT}]
        assert client.get(f"{root}/healthz").json()["status"] == "ok"


class _AnyPath(DefaultCookiePolicy):
    """Sends cookies of every path, since a proxy that removes the path stands between in truth."""

    def path_return_ok(self, *_: object) -> bool:
        return True

    def set_ok_path(self, *_: object) -> bool:
        return True

    def return_ok(self, *_: object) -> bool:
        return True


def test_the_api_below_the_path_is_guarded_as_elsewhere(store: Sure) -> None:
    with serving(store, root_path=ROOT) as client:
        cross = {"Sec-Fetch-Site": "cross-site"}
        for path in ("/v1/claims", f"{ROOT}/v1/claims"):
            assert client.get(path).status_code == 200
            assert client.get(path, headers=cross).status_code == 403
            assert client.get(path, headers={"Origin": "https://evil.example"}).status_code == 403
        assert client.get(f"{ROOT}x/v1/claims").status_code == 404
        assert client.get(f"{ROOT}{ROOT}/v1/claims").status_code == 404


def test_texts_are_not_taken_for_links() -> None:
    text = '<p>href=&#34;/x&#34;</p><a title="x" href="/y">z</a><a href="#w"></a>'
    assert add_root_path(text, ROOT) == text.replace('"/y"', f'"{ROOT}/y"')
    assert add_root_path(text, "") == text


@pytest.mark.parametrize("path", ["howsure", "/a b", "/a//b", "/../x", "/a?b", "/ä", '/"', "//x"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InputError, match="invalid root path"):
        parse_root_path(path)
