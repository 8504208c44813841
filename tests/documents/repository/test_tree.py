"""Walking a tree: what is found, what git would ignore, and what is in the way."""

import ast
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from howsure.documents.document import SkippedFile
from howsure.documents.repository.gitignore import is_ignored, parse_ignore_file
from howsure.documents.repository.tree import DocumentFile, document_kind, find_root, is_prose, project_path, walk
from howsure.errors import InputError

FOLDERS = [b"a", b"b", b"ab", b"foo", b"x y", b"a\\b", b"\xc3\xa9", b"!n", b"a[b]"]
FILES = [
    *(b"a.md", b"b.md", b"ab.md", b"aab.md", b"foo.md", b"foobar.md", b"x y.md", b"#h.md", b"!n.md", b"a[b].md"),
    *(b"a-b.md", b"A.md", b".a.md", b"].md", b"-.md", b"^.md", b"a*b.md", b"a?b.md", b"a\\b.md", b"a\nb.md"),
    *(b"\xc3\xa9.md", b"\xff.md", b"a\tb.md", b"\x01.md", b" .md"),
]
PIECES = [
    *(b"a", b"b", b"*", b"**", b"***", b"?", b"/", b".", b"md", b"*.md", b"foo", b" ", b"\\ ", b"\\", b"\\*", b"\\/"),
    *(b"[ab]", b"[!a]", b"[^b]", b"[a-z]", b"[z-a]", b"[]a]", b"[]-a]", b"[\\]]", b"[\\\\-a]", b"[a-\\z]", b"[--z]"),
    *(b"[a-c-e]", b"[[:alpha:]]", b"[[:punct:]]", b"[![:space:]]", b"[[:nonsense:]]", b"[[:]", b"[[::]]", b"[[-a]"),
    *(b"[a-", b"[", b"]", b"-", b"!", b"#", b"\xc3", b"\xff", b"[\xc3]", b"[/]", b"[!/]", b"\t", b"\r", b"\1", b"\0"),
]
STEPS = [*FOLDERS, *FILES, b"*", b"**", b"*.md", b"a*", b"*b", b"?", b"[ab]", b"f*o*", b"a**", b"**b", b"foo**"]


@pytest.fixture(autouse=True)
def _plain_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")


def grown(root: Path, *files: str) -> Path:
    for file in files:
        place = root / file
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("x")
    return root


def paths(root: Path, starts: Iterable[Path] = (), *, exclude: Iterable[str] = ()) -> list[str]:
    skipped: list[SkippedFile] = []
    found = [found.path for found in walk(root, starts, exclude=exclude, skipped=skipped)]
    assert skipped == []
    return found


def git(root: Path | bytes, *arguments: str | bytes) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, check=True, stdout=subprocess.PIPE).stdout


def git_paths(root: bytes, *options: bytes) -> set[bytes]:
    listed = git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard", *options)
    return {path for path in listed.split(b"\0") if path.endswith(b".md")}


def pattern(chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        found = b"/".join(chance.choices(STEPS, k=chance.randint(1, 4)))
    else:
        found = b"".join(chance.choices(PIECES, k=chance.randint(1, 7)))
    found = b"!" * (chance.random() < 0.25) + b"/" * (chance.random() < 0.2) + found + b"/" * (chance.random() < 0.2)
    return b"#" * (chance.random() < 0.03) + found + chance.choice([b"", b"", b"", b"", b"  ", b"\r"])


def patterns(chance: random.Random) -> bytes:
    start = chance.choice([b"", b"", b"", b"\xef\xbb\xbf"])
    return start + b"\n".join(pattern(chance) for _ in range(chance.randint(1, 6))) + chance.choice([b"\n", b""])


def grow(folder: bytes, chance: random.Random, depth: int) -> list[bytes]:
    """Fill a folder by chance; return all folders."""
    folders = [folder]
    for name in chance.sample(FILES, 9 if depth else len(FILES)):
        Path(os.fsdecode(folder + b"/" + name)).touch()
    for name in chance.sample(FOLDERS, 3) if depth < 3 else ():
        below = folder + b"/" + name
        Path(os.fsdecode(below)).mkdir()
        folders += grow(below, chance, depth + 1)
    return folders


@pytest.mark.parametrize("seed", range(8))
def test_the_same_files_are_ignored_as_by_git(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = os.fsencode(tmp_path)
    git(root, "init", "-q")
    folders = grow(root, chance, 0)
    ignoring = {folder: Path(os.fsdecode(folder), ".gitignore") for folder in folders}
    for _ in range(25):
        written = [root, *chance.sample(folders, 3)]
        for folder in written:
            ignoring[folder].write_bytes(patterns(chance))
        info = patterns(chance) if chance.random() < 0.5 else b""
        (tmp_path / ".git/info/exclude").write_bytes(info)
        exclude = [pattern(chance).translate(None, b"\0\n").strip() for _ in range(chance.choice([0, 0, 2]))]
        wanted = git_paths(root, *(b"--exclude=" + one for one in exclude))
        found = {os.fsencode(path) for path in paths(tmp_path, exclude=[os.fsdecode(one) for one in exclude])}
        assert found == wanted, (info, exclude, {folder: ignoring[folder].read_bytes() for folder in written})
        for folder in written:
            ignoring[folder].unlink(missing_ok=True)


@pytest.mark.parametrize("one", PIECES, ids=repr)
@pytest.mark.parametrize("form", [b"%b", b"a%b.md", b"a/%b", b"**/%b", b"%b/", b"foo%b/a.md", b"/%b*.md"], ids=repr)
def test_patterns_mean_what_they_mean_to_git(plenty: Path, one: bytes, form: bytes) -> None:
    (plenty / ".gitignore").write_bytes(form % one)
    assert {os.fsencode(path) for path in paths(plenty)} == git_paths(os.fsencode(plenty))


@pytest.mark.parametrize(
    "text",
    [
        *(rb"a/**\/a.md", b"/foo[/]a.md", b"/foo[!x]a.md", b"/foo?a.md", b"/foo*a.md", b"foo**/a.md", b"/foo**"),
        *(b"/foo/a.md\n!a.md", b"!a.md\n/foo/a.md", b"*.md\n!/foo/\n!a.md", b"/*\n!/foo\n/foo/*\n!/foo/a"),
        *(b"a.md   ", b"a.md\\ ", b"x\\ y.md", b"\\#h.md", b"\\!n.md", b"\xef\xbb\xbf/a.md", b"a.md\r\nb.md\r\n"),
    ],
    ids=repr,
)
def test_odd_patterns_mean_what_they_mean_to_git(plenty: Path, text: bytes) -> None:
    (plenty / ".gitignore").write_bytes(text)
    assert {os.fsencode(path) for path in paths(plenty)} == git_paths(os.fsencode(plenty))


@pytest.fixture(scope="module")
def plenty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a tree in which every name lies in folders of every name."""
    root = tmp_path_factory.mktemp("plenty")
    git(root, "init", "-q")
    for folder in ("", "a", "foo", "foo/a", "a/b/ab", "é"):
        for file in FILES:
            grown(root / folder, os.fsdecode(file))
    return root


def test_patterns_of_ignore_files_have_the_say_from_the_deepest_on(tmp_path: Path) -> None:
    root = grown(tmp_path, "a.md", "docs/a.md", "docs/b.md", "docs/deep/a.md", "docs/deep/b.md", "out/a.md")
    (root / ".gitignore").write_text("a.md\nout/\n")
    (root / "docs/.gitignore").write_text("!a.md\nb.md\n")
    (root / "docs/deep/.howsureignore").write_text("!b.md\na.md\n")
    assert paths(root) == ["docs/a.md", "docs/deep/b.md"]
    assert paths(root, exclude=["docs/deep", "!b.md"]) == ["docs/a.md", "docs/b.md"]
    (root / ".howsureignore").write_text("!out/\n")
    (root / "out/.howsureignore").write_text("!*\n")
    assert "out/a.md" in paths(root)


def test_ignore_files_above_where_a_walk_starts_count(tmp_path: Path) -> None:
    root = grown(tmp_path, "docs/a.md", "docs/deep/b.md", "docs/deep/c.md", "docs/howsure.toml")
    git(root, "init", "-q")
    (root / ".gitignore").write_text("/docs/deep/b.md\n")
    (root / ".git/info/exclude").write_text("c.md\n")
    (root / "docs/.gitignore").write_text("/deep/nothing.md\n")
    assert paths(root, [root / "docs/deep"]) == []
    assert paths(root / "docs") == ["a.md", "howsure.toml"]
    assert paths(root / "docs/deep") == []


def test_a_worktree_uses_the_exclude_file_of_its_repository(tmp_path: Path) -> None:
    root = grown(tmp_path / "first", "a.md", "b.md")
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x")
    git(root, "worktree", "add", "-q", "../second")
    (root / ".git/info/exclude").write_text("b.md\n")
    assert paths(tmp_path / "second") == ["a.md"]
    (tmp_path / "second/.git").write_bytes(b"gitdir: \0/nowhere")
    assert paths(tmp_path / "second") == ["a.md", "b.md"]


def test_the_order_is_always_the_same(tmp_path: Path) -> None:
    names = [f"{folder}{name}.md" for folder in ("", "b/", "a/", "a/c/") for name in "zay"]
    random.Random(7).shuffle(names)
    found = paths(grown(tmp_path, *names))
    assert found == [f"{folder}{name}.md" for folder in ("", "a/", "a/c/", "b/") for name in "ayz"]


def test_a_file_is_found_with_all_that_is_known_of_it(tmp_path: Path) -> None:
    root = grown(tmp_path, "_data/members.yml")
    place = root / "_data/members.yml"
    state = place.stat()
    found = list(walk(root, skipped=[]))
    assert found == [
        DocumentFile("_data/members.yml", str(place), "data", 1, state.st_mtime_ns, state.st_ino, state.st_ctime_ns)
    ]


def test_folders_of_tools_are_not_entered(tmp_path: Path) -> None:
    inside = [f"deep/{folder}/a.md" for folder in (".git", ".hg", ".svn", "node_modules", "__pycache__", "anything")]
    root = grown(tmp_path, *inside, "deep/anything/pyvenv.cfg", "deep/anything/lib/b.md", "deep/.github/c.md")
    assert paths(root) == ["deep/.github/c.md"]
    assert paths(root / "deep/anything") == ["a.md", "lib/b.md"]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("README.md", "content"),
        ("README.MD", "content"),
        ("a.b/c.markdown", "content"),
        (".travis.yml", "content"),
        ("config.toml", "content"),
        ("table.csv", "content"),
        ("table.tsv", None),
        ("_data/table.tsv", "data"),
        ("site/_data/deep/members.json", "data"),
        ("_data/notes.md", "content"),
        ("_data/make.py", "code"),
        ("_data", None),
        ("not_data/members.json", "content"),
        ("main.R", "code"),
        ("style.scss", "code"),
        ("app.min.js", None),
        ("app.js", "code"),
        ("app.js.map", None),
        ("style.min.css", None),
        ("package-lock.json", None),
        ("pnpm-lock.yaml", None),
        ("poetry.lock", None),
        ("Cargo.lock", None),
        ("_data/members.json.confidence.json", None),
        ("table.csv.confidence.json", None),
        ("scan-0123456789abcdef01234567.json", None),
        ("scan-1.json", "content"),
        ("photo.png", None),
        ("md", None),
        (".md", None),
        ("no\nline.md", "content"),
        ("\udcff.py", "code"),
    ],
)
def test_the_kind_of_a_file_is_in_its_name(path: str, kind: str | None) -> None:
    assert document_kind(path) == kind


def test_files_that_are_not_documents_are_left_out(tmp_path: Path) -> None:
    root = grown(tmp_path, "a.png", "b.PNG", "Makefile", "c.md", "ignored.gif", "c.csv.confidence.json")
    (root / ".gitignore").write_text("*.gif")
    assert [found.path for found in walk(root, skipped=[])] == ["c.md"]


def test_links_are_not_followed_and_outside_ones_are_reported(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "a.md", "docs/b.md")
    grown(tmp_path, "secret/c.md", "rooted/d.md")
    for name, target in {
        "inside.md": "a.md",
        "folder": "docs",
        "loop": ".",
        "docs/up": "..",
        "self.md": "self.md",
        "ping.md": "pong.md",
        "pong.md": "ping.md",
        "broken.md": "nowhere.md",
        "out": "../secret",
        "docs/out.md": str(tmp_path / "secret/c.md"),
        "near": "../rooted",
        "ignored": "/",
    }.items():
        (root / name).symlink_to(target)
    (root / ".gitignore").write_text("/ignored\n")
    skipped: list[SkippedFile] = []
    assert [found.path for found in walk(root, skipped=skipped)] == ["a.md", "docs/b.md"]
    why = "it is a link that leads out of the tree"
    assert skipped == [SkippedFile("near", why), SkippedFile("out", why), SkippedFile("docs/out.md", why)]


def test_an_ignore_file_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "a.md")
    (tmp_path / "outside").write_text("*")
    (root / ".gitignore").symlink_to("../outside")
    os.mkfifo(root / ".howsureignore")
    skipped: list[SkippedFile] = []
    assert [found.path for found in walk(root, skipped=skipped)] == ["a.md"]
    assert {one.path for one in skipped} == {".gitignore"}


def test_a_link_to_the_root_is_the_root(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "docs/a.md")
    (tmp_path / "link").symlink_to("root")
    assert paths(tmp_path / "link") == ["docs/a.md"]
    assert paths(tmp_path / "link", [tmp_path / "link/docs"]) == ["docs/a.md"]
    assert paths(root, [tmp_path / "link/docs/a.md"]) == ["docs/a.md"]
    assert find_root(tmp_path / "link") == root


def test_large_and_special_files_are_reported(tmp_path: Path) -> None:
    root = grown(tmp_path, "small.md", "image.png")
    (root / "large.md").write_bytes(b"x" * 1001)
    (root / "even.md").write_bytes(b"x" * 1000)
    os.mkfifo(root / "pipe.md")
    skipped: list[SkippedFile] = []
    assert [found.path for found in walk(root, largest=1000, skipped=skipped)] == ["even.md", "small.md"]
    assert skipped == [
        SkippedFile("large.md", "larger than 1,000 bytes"),
        SkippedFile("pipe.md", "it is not a plain file"),
    ]


def test_an_oversized_ignore_file_is_skipped_and_reported(tmp_path: Path) -> None:
    root = grown(tmp_path, "a.md")
    (root / ".gitignore").write_text("*\n" * 500_001)
    skipped: list[SkippedFile] = []
    assert [found.path for found in walk(root, skipped=skipped)] == ["a.md"]
    assert skipped == [SkippedFile(".gitignore", "larger than 1,000,000 bytes, so it ignores nothing")]


def test_a_file_that_is_named_is_found_even_if_ignored(tmp_path: Path) -> None:
    root = grown(tmp_path, "docs/a.md", "docs/b.md", "out/c.md", "out/d.md", "photo.png")
    (root / ".gitignore").write_text("b.md\nout/\n")
    assert paths(root, [root / "docs/b.md", root / "docs", root / "docs/a.md"]) == ["docs/b.md", "docs/a.md"]
    assert paths(root, [root / "out/c.md"]) == ["out/c.md"]
    assert paths(root, [root / "out"]) == ["out/c.md", "out/d.md"]
    skipped: list[SkippedFile] = []
    assert list(walk(root, [root / "photo.png", root / "gone.md"], skipped=skipped)) == []
    assert skipped == [
        SkippedFile("photo.png", "it is not a kind of file that is scored"),
        SkippedFile("gone.md", "it vanished while the tree was scanned"),
    ]


def test_a_start_outside_the_root_is_refused(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "a.md")
    grown(tmp_path, "rooted/b.md")
    (root / "link").symlink_to("../rooted")
    for start in (tmp_path / "rooted", tmp_path, root / "../rooted/b.md", root / "link/b.md"):
        with pytest.raises(InputError, match="is not below"):
            walk(root, [start], skipped=[])


def test_a_start_is_relative_to_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = grown(tmp_path, "docs/a.md", "a.md")
    monkeypatch.chdir(root / "docs")
    assert paths(root, [Path("a.md")]) == ["docs/a.md"]


def test_files_that_vanish_meanwhile_are_reported(tmp_path: Path) -> None:
    root = grown(tmp_path, "a.md", "b.md", "c.md", "docs/d.md")
    skipped: list[SkippedFile] = []
    walking = walk(root, skipped=skipped)
    assert next(walking).path == "a.md"
    (root / "b.md").unlink()
    (root / "docs/d.md").unlink()
    (root / "docs").rmdir()
    assert [found.path for found in walking] == ["c.md"]
    why = "it vanished while the tree was scanned"
    assert skipped == [SkippedFile("b.md", why), SkippedFile("docs", why)]
    assert list(walk(root / "nowhere", skipped=skipped)) == []
    assert len(skipped) == 3


def test_an_unreachable_folder_is_reported(tmp_path: Path) -> None:
    root = grown(tmp_path, "z.md")
    handle = os.open(root, os.O_RDONLY)
    for _ in range(25):  # longer than any path may be
        os.mkdir("f" * 200, dir_fd=handle)
        below = os.open("f" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    skipped: list[SkippedFile] = []
    assert [found.path for found in walk(root, skipped=skipped)] == ["z.md"]
    assert [one.why for one in skipped] == ["it cannot be read: File name too long"]


def test_files_without_permission_are_reported(tmp_path: Path) -> None:
    from howsure.documents.content.facts import FactsReader
    from howsure.documents.content.file_reader import FileToRead, read_one
    from howsure.text.patterns import load_builtin_pack

    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        root = grown(Path(place), "a.md", "b.md", "closed/c.md")
        (root / "closed").chmod(0)
        (root / "b.md").chmod(0)
        for folder in {Path(place), root}:
            folder.chmod(0o755)
        reader = FactsReader(load_builtin_pack("default"))

        def look() -> tuple[list[str], list[SkippedFile], str]:
            skipped: list[SkippedFile] = []
            found = [one.path for one in walk(root, skipped=skipped)]
            return found, skipped, read_one(reader, FileToRead("b.md", str(root / "b.md"), "content"), 1000).why

        found, skipped, why = as_nobody(look)
        (root / "closed").chmod(0o700)
    assert found == ["a.md", "b.md"]
    assert skipped == [("closed", "it cannot be read: Permission denied")]
    assert why == "it cannot be read: Permission denied"


def as_nobody(look: Callable[[], Any]) -> Any:
    """Return what a process finds that may not read everything, as root may."""
    receive, send = os.pipe()
    process = os.fork()
    if not process:
        try:
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
            os.write(send, repr([tuple(map(tuple, part)) if part and isinstance(part[0], tuple) else part
                                 for part in look()]).encode())  # fmt: skip
        finally:
            os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as answer:
        found = ast.literal_eval(answer.read().decode() or "None")
    os.waitpid(process, 0)
    return [list(part) if isinstance(part, tuple) else part for part in found]


def test_names_may_be_any_bytes(tmp_path: Path) -> None:
    names = [b"new\nline.md", b"\xff\xfe.md", "\u202eevil.md".encode(), b"'quote\".md", b"-rf.md", b" .md"]
    for name in names:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).touch()
    found = list(walk(tmp_path, skipped=[]))
    assert {os.fsencode(one.path) for one in found} == set(names)
    assert all(Path(one.location).is_file() for one in found)


@pytest.mark.parametrize(
    "hostile",
    [b"*a" * 40 + b"b", b"**/a/" * 40 + b"b", b"**\\/a/" * 40 + b"b", b"**/" * 60 + b"x", b"**/*a*a*/" * 20 + b"b"],
    ids=repr,
)
def test_no_pattern_takes_long(hostile: bytes) -> None:
    found = parse_ignore_file("/r", hostile)
    start = time.process_time()
    for place in ("/r/" + "a" * 250, "/r/" + "a/" * 1500 + "a", "/r/" + ("a" * 100 + "/") * 40 + "a"):
        assert not is_ignored((found,), place.rpartition("/")[2], place, is_folder=False)
    assert time.process_time() - start < 2


def test_the_root_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "docs/deep/a.md", "docs/howsure.toml", "src/b.py")
    (root / ".git").mkdir()
    assert find_root(root / "docs/deep/a.md") == root / "docs"
    assert find_root(root / "src") == root
    assert find_root(str(root / "src/b.py")) == root
    alone = grown(tmp_path / "alone", "x/c.md")
    outside = find_root(alone / "x")
    assert outside in {alone / "x", *alone.parents}
    if not any(os.path.lexists(folder / name) for folder in alone.parents for name in (".git", "howsure.toml")):
        assert outside == alone / "x"
        assert find_root(alone / "x/c.md") == alone / "x"


def test_data_are_data_wherever_a_walk_begins(tmp_path: Path) -> None:
    folder = grown(tmp_path / "plain", "_data/en/a.yml", "b.md")
    for start in (folder / "_data", folder / "_data/en", folder / "_data/en/a.yml"):
        assert (find_root(start), project_path(start).partition("/")[0]) == (folder, "_data")
        found = walk(find_root(start), [start], skipped=[])
        assert [(one.path, one.kind) for one in found] == [("_data/en/a.yml", "data")]


def test_a_path_is_the_same_whichever_link_leads_to_it(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "docs/a.md")
    (root / ".git").mkdir()
    (tmp_path / "link").symlink_to(root)
    assert project_path(tmp_path / "link/docs/a.md") == project_path(root / "docs/../docs/a.md") == "docs/a.md"


def test_a_repository_within_another_is_left_to_itself(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "a.md", "module/b.md", "nested/deep/c.md", "fake/.git/x", "fake/d.md")
    skipped: list[SkippedFile] = []
    both = grown(tmp_path / "both", "one/a.md", "two/b.md")
    for folder in (root, root / "nested", both / "one", both / "two"):
        git(folder, "init", "-q")
    (root / "module/.git").write_text("gitdir: ../.git/modules/module\n")
    assert [one.path for one in walk(root, skipped=skipped)] == ["a.md", "fake/d.md"]
    assert [(one.path, one.why[:26]) for one in skipped] == [
        ("module", "it is a repository of its "), ("nested", "it is a repository of its "),
    ]  # fmt: skip
    assert [one.path for one in walk(root, [root / "nested"], skipped=[])] == ["nested/deep/c.md"]
    assert [one.path for one in walk(both, skipped=[])] == ["one/a.md", "two/b.md"]


def test_excluded_files_are_left_out_even_if_named(tmp_path: Path) -> None:
    root = grown(tmp_path / "root", "vendor/deep/a.md", "b.md", ".gitignore")
    (root / ".gitignore").write_text("b.md\n")
    starts = [root / "vendor/deep/a.md", root / "b.md"]
    assert [one.path for one in walk(root, starts, skipped=[])] == ["vendor/deep/a.md", "b.md"]
    assert [one.path for one in walk(root, starts, exclude=["vendor/"], skipped=[])] == ["b.md"]


@pytest.mark.parametrize(
    ("path", "prose"),
    [
        ("README.md", True),
        ("docs/themes.md", True),
        ("docs/requirements.md", False),
        ("requirements/test.txt", False),
        ("CMakeLists.txt", False),
        ("docs/_static/sample.html", False),
        ("site/themes/plain/main.html", False),
        ("docs/_tests/quotes.html", False),
        ("shop.egg-info/SOURCES.txt", False),
    ],
)
def test_lists_for_programs_and_parts_of_sites_are_no_prose(path: str, prose: bool) -> None:
    assert is_prose(path) is prose
