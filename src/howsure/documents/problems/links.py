"""Find out whether the links of a document lead somewhere: to a file, to what a site generator makes, to a title."""

import os
import re
from urllib.parse import unquote

from howsure.documents.content.markdown import anchor_key, find_anchors
from howsure.documents.problems.known_files import KnownFiles, join_path
from howsure.documents.problems.project import Project

_PAGE_ENDINGS = (".md", ".markdown", ".mdx", ".html", "/index.md")
"""A site generator serves `page.md` as `page`, `page/` or `page.html`: endings to try for a link."""
_FILE = re.compile(
    r"\.(?:md|markdown|rst|txt|html?|png|svg|jpe?g|gif|webp|py|ipynb|pdf|ya?ml|toml|json|csv)$", re.IGNORECASE
)
"""Links to files; with MyST, others may be labels."""
_PICTURES = (".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp", ".ico")
_MADE_BY_GENERATORS = frozenset(
    ("llms.txt", "llms-full.txt", "sitemap.xml", "genindex.html", "py-modindex.html", "modindex.html", "search.html")
)
_TOP = ("", "top", "readme")
"""Places that every page has, for a browser or a code host."""
_NO_SOURCE = (".html", ".htm")
"""Endings of what only a site has."""
_STATIC_FOLDERS = ("", "static/", "public/", "_static/", ".vuepress/public/")
"""Folders whose files a site serves from its root."""
_GENERATED_FOLDER = re.compile(
    r"(?:^|/)(?:_?generated|_?autosummary|_build|_?autoapi|auto_examples)/|(?:^|/)gallery(?:/|\.html$)"
)
_SPHINX_ENDINGS = (".rst", ".md", ".txt", ".html", ".ipynb")
"""Endings to try for a link in reStructuredText."""


class Links:
    """Follows the links of documents, as browsers and site generators do."""

    def __init__(self, files: KnownFiles, project: Project) -> None:
        """Follow them among the files of a tree."""
        self._files = files
        self._project = project
        self._anchors: dict[str, set[str] | None] = {}

    def leads(self, path: str, link: str) -> bool:
        """Return whether a link leads to a file, or to what a site generator makes of a page."""
        if link.startswith("/"):
            return self._leads_from_root(path, link)
        # With MyST, Markdown in a tree of Sphinx links to labels and to names of code as well.
        if not path.endswith(".rst") and not _FILE.search(link) and self._is_site(path):
            return True
        # MkDocs serves `a.md` as the folder `a/`, so a link that browsers follow may start there.
        # So may a link without a suffix, which only a site can follow.
        served = self._project.generated_pages or "." not in link.rstrip("/").rpartition("/")[2].lstrip(".")
        starts = (path, f"{path.rpartition('.')[0]}/") if served else (path,)
        is_rst = path.endswith(".rst")
        endings = _SPHINX_ENDINGS if is_rst or (link.endswith(".html") and self._is_site(path)) else _PAGE_ENDINGS
        if any(self._is_page(join_path(start, unquote(link)), endings) for start in starts):
            return True
        return is_rst and served and not self._is_in_sphinx(path, link)

    def _leads_from_root(self, path: str, link: str) -> bool:
        """Return whether a link that begins with `/` leads to a file below the root, as on a code host.

        The page may be part of a site that begins in any folder, so only links to files of the tree are certain.
        """
        target = os.path.normpath(unquote(link).lstrip("/"))
        if not _FILE.search(target) or target.endswith(_NO_SOURCE):
            return True
        parts = path.split("/")[:-1]
        tops = ["".join(f"{part}/" for part in parts[:number]) for number in range(len(parts) + 1)]
        if any(self._is_page(f"{top}{folder}{target}", _PAGE_ENDINGS) for top in tops for folder in _STATIC_FOLDERS):
            return True
        return any(place.endswith(f"/{target}") for place in self._files.by_name.get(target.rpartition("/")[2], ()))

    def _is_in_sphinx(self, path: str, link: str) -> bool:
        """Return whether a reference of a page to another would be followed from here.

        A page outside of a tree of Sphinx, such as a fragment of a changelog, is included in one that lies elsewhere.
        A page in a folder that is not there is one of another site, which Sphinx knows from its configuration.
        """
        folder = os.path.dirname(join_path(path, link))  # noqa: PTH120 - names may be odd bytes
        return self._is_site(path) and (folder in self._files.folders or self._files.exists(folder))

    def _is_page(self, target: str, endings: tuple[str, ...]) -> bool:
        if target.startswith("..") or target in self._project.generated_pages:
            return True  # outside the tree, or in a site only
        bare = target.removesuffix(".html")
        pages = (target, *(bare + ending for ending in endings))
        if any(map(self._files.exists, pages)) or self._is_generated(target):
            return True
        # A site serves pictures from a folder of its own.
        folder, _, name = target.rpartition("/")
        tail = f"/{folder.rpartition('/')[2]}/{name}"
        return target.endswith(_PICTURES) and any(place.endswith(tail) for place in self._files.by_name.get(name, ()))

    def _is_generated(self, target: str) -> bool:
        """Return whether a file is made when the site is: git ignores it, or the configuration of Sphinx names it."""
        folder, _, name = target.rpartition("/")
        if name in _MADE_BY_GENERATORS or _GENERATED_FOLDER.search(target):
            return True
        parts = folder.split("/") if folder else []
        configurations = ("/".join([*parts[:number], "conf.py"]) for number in range(len(parts) + 1))
        whole = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])")
        return any(name and whole.search(self._files.read_text(file)) for file in (".gitignore", *configurations))

    def has_anchor(self, path: str, link: str) -> bool:
        """Return whether the page that a link leads to has the place that it names, as far as that is known."""
        target, _, anchor = link.partition("#")
        from_root = target.startswith("/")
        if from_root and self._project.generated_pages:
            return True  # the root of the site may be another one
        page = join_path("" if from_root else path, unquote(target).lstrip("/")) if target else path
        if not page.endswith((".md", ".markdown")) or page.startswith("..") or anchor_key(anchor) in _TOP:
            return True
        if page not in self._anchors:
            text = self._files.read_text(page)
            self._anchors[page] = find_anchors(text) if text and "\0" not in text else None
        known = self._anchors[page]
        # Generators number titles that occur twice.
        keys = {anchor_key(anchor), anchor_key(re.sub(r"[-_]\d+$", "", anchor))}
        return known is None or not keys.isdisjoint(known) or self._is_site(page)

    def _is_site(self, path: str) -> bool:
        """Return whether a page is part of a site whose places are not all written in its pages, as with Sphinx."""
        parts = path.split("/")[:-1]
        return any(self._files.exists("/".join([*parts[:number], "conf.py"])) for number in range(len(parts), -1, -1))
