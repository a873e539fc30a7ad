"""A git repository at a tag or a commit as a source of packs.

Its objects are fetched into a bare repository in a temporary folder and read there. Nothing is checked out, so filters,
hooks, links and submodules have no effect. Credentials are those that git itself is configured with.
"""

from __future__ import annotations

import os
import posixpath
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from scoring import children
from scoring.data.relative import path_fault
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.content import Candidate, find_releases_in_tree
from scoring.extensions.sharing.sources.limits import MOST_BYTES, MOST_CONTENT, MOST_FETCHED, MOST_FILES
from scoring.extensions.sharing.sources.process import ProgramAnswer, capture_program_output, last_error, without_user
from scoring.extensions.sharing.sources.tree import Entry, SourceTree
from scoring.lazy_pattern import lazy_pattern
from scoring.project.file import COMMIT

SCHEMES = ("https", "http", "ssh", "file", "git")
_ADDRESS = lazy_pattern(r"(https?|ssh|file|git)://(?:([^/@\s]*)@)?([^/@\s]*)(/[^\s\x00-\x1f\x7f\\]*)")
# The form in which hosting services show SSH addresses; the user `git` is theirs and not a secret.
_SHORT = lazy_pattern(r"git@[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9][A-Za-z0-9._/~+-]*")
_SAFE_HOST = lazy_pattern(r"[A-Za-z0-9._\[\]:-]*")
_TAG = lazy_pattern(r"(?!-)(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[^\s\x00-\x20\x7f~^:?*\[\\]{1,200}(?<![./])")
_ENTRY = lazy_pattern(rb"(\d{6}) (\w+) ([0-9a-f]{40,64}) +(-|\d+)\t(.+)", re.DOTALL)
_REF = lazy_pattern(r"([0-9a-f]{40,64})\trefs/tags/(.+)")
# Removed so that the caller's own repository has no influence, and nothing that is sent is printed.
_DROPPED = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
    "GIT_NAMESPACE", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CURL_VERBOSE", "GIT_TEMPLATE_DIR", "GIT_EXTERNAL_DIFF",
)  # fmt: skip
_MOST_LEVELS = 200
_SETTINGS = {
    "safe.bareRepository": "explicit",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "protocol.allow": "never",
    "protocol.ext.allow": "never",
    **{f"protocol.{scheme}.allow": "always" for scheme in SCHEMES},
    "http.followRedirects": "false",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "transfer.bundleURI": "false",
    "fetch.fsckObjects": "true",
    "fetch.unpackLimit": "1",  # all objects in one file, whose size is limited
    "gc.auto": "0",
    "maintenance.auto": "false",
    "core.protectHFS": "true",
    "core.protectNTFS": "true",
    "advice.detachedHead": "false",
}
_KINDS = {"120000": "a symbolic link", "160000": "a submodule"}
_FOLDER = "040000"


def git_address(text: str) -> str:
    """Return the address of a repository unchanged, after checking that git may fetch from it.

    Raises:
        InputError: when the text is another kind of address, or contains a password.

    Examples:
        >>> git_address("https://example.org/a/metrics.git")
        'https://example.org/a/metrics.git'
    """
    if _SHORT.fullmatch(text):
        return text
    found = _ADDRESS.fullmatch(text)
    if found is None or not _SAFE_HOST.fullmatch(found[3]) or found[3].startswith("-"):
        raise InputError(
            f"{shown(without_user(text))} is not an address of a git repository; write https://…, ssh://… or file:///…"
        )
    scheme, user = found[1], found[2]
    if user is not None and (scheme != "ssh" or ":" in user or not re.fullmatch(r"[A-Za-z0-9][\w.-]*", user)):
        raise InputError(
            f"{shown(without_user(text))} holds a name or a password, which a lock would keep; leave it out, and store "
            "it in git: `git credential approve`, or an SSH key"
        )
    if not found[3] and scheme != "file":
        raise InputError(f"{shown(text)} names no host")
    if "?" in found[4] or "#" in found[4]:
        raise InputError(f"{shown(without_user(text))} has a `?` or a `#`, which an address of a repository can't have")
    return text


class GitSource:
    """A git repository at a tag or a commit as a source of packs.

    Args:
        address: The address of the repository, see `git_address`.
        tag: The tag; give either this or a commit.
        commit: The full hash of the commit.
        path: The folder or file in the repository; all of it by default.

    Raises:
        InputError: when the address, tag, commit or path is invalid.
    """

    is_local = False

    def __init__(self, address: str, *, tag: str = "", commit: str = "", path: str = "") -> None:
        self.address, self.tag, self.commit = git_address(address), tag, commit
        self.path = "" if path in ("", ".") else posixpath.normpath(path)
        if tag and not _TAG.fullmatch(tag):
            raise InputError(f"{shown(tag)} is not the name of a tag")
        if commit and not COMMIT.fullmatch(commit):
            raise InputError(f"{shown(commit)} is not a commit: write the whole hash, 40 or 64 hexadecimal digits")
        if bool(tag) == bool(commit):
            raise InputError(f"{address}: name either a tag or a commit, as in {address}@v1.0.0")
        if self.path and (fault := path_fault(self.path)):
            raise InputError(f"{shown(path)} can't be a path in {address}: {fault}")
        self.where = f"{address}@{tag or commit[:12]}"

    def releases(self) -> Sequence[Candidate]:
        """Return a release for every pack file of the commit that is below the source's path.

        Raises:
            InputError: when the commit can't be fetched, the tag is a branch or does not exist, or there is no pack.
        """
        return find_releases_in_tree(self._tree, self.path, self.revision)

    @property
    def revision(self) -> str:
        """The text that identifies the fetched commit in a lock, such as `commit 1f3a…`.

        Raises:
            InputError: when the commit can't be fetched, or the tag is a branch or does not exist.
        """
        return f"commit {self._tree.commit}"

    @cached_property
    def _tree(self) -> GitTree:
        return GitTree(self)

    def at(self, path: str) -> GitSource:
        """Return a source for another folder or file of the same commit; the commit is only fetched once for both
        sources.

        Args:
            path: The path of the folder or file in the repository.
        """
        found = GitSource(self.address, tag=self.tag, commit=self.commit, path=path)
        found.__dict__["_tree"] = self._tree
        return found

    def sibling(self, folder: str, place: str) -> GitSource:
        """Return the source of another folder at the same commit, which a project file in the repository names.

        Args:
            folder: The path of the folder in a project file.
            place: The folder of that project file.

        Raises:
            InputError: when the folder is outside of the repository.
        """
        path = posixpath.normpath(posixpath.join(place, folder))
        if path.startswith(("..", "/")):
            raise InputError(f"the project file of {self.where} names {shown(folder)}, which is outside it")
        return self.at(path)

    def tags(self) -> Mapping[str, str]:
        """Return the commit of each tag of the repository, by the tag's name.

        Raises:
            InputError: when the repository can't be queried.
        """
        with tempfile.TemporaryDirectory(prefix="scoring-git-") as folder:
            answer = run_git(Path(folder), "ls-remote", "--quiet", "--tags", "--end-of-options", self.address)
        if answer.status:
            raise InputError(f"{self.address} can't be queried for its tags: {_words(answer)}")
        found: dict[str, str] = {}
        # An annotated tag is listed twice, the second time with `^{}` and its commit.
        for ref in filter(None, map(_REF.fullmatch, answer.out.decode("utf-8", "replace").splitlines())):
            name = ref[2].removesuffix("^{}")
            if _TAG.fullmatch(name) and (name not in found or ref[2] != name):
                found[name] = ref[1]
        return found


class GitTree(SourceTree):
    """The files of one commit, which is fetched when the tree is created; the bytes of files that were read stay in
    memory."""

    _lists_late = False

    def __init__(self, source: GitSource) -> None:
        super().__init__(source.where, {}, {})
        self._source = source
        self._at = Path(tempfile.mkdtemp(prefix="scoring-git-"))
        weakref.finalize(self, shutil.rmtree, self._at, ignore_errors=True)
        self.commit = self._fetched()
        self._oids: dict[str, str] = {}
        self._lists_late = True

    def _fetched(self) -> str:
        source = self._source
        run_git(self._at, "init", "--quiet", "--bare", "--template=", ".")
        wanted = f"refs/tags/{source.tag}" if source.tag else source.commit
        answer = _fetch(self._at, source.address, f"+{wanted}:refs/scoring/wanted", is_shallow=True)
        if answer.status and source.commit:  # the server may only allow fetching branches and tags
            answer = _fetch(self._at, source.address, "+refs/heads/*:refs/scoring/heads/*", "+refs/tags/*:refs/tags/*")
        if answer.status:
            raise self._refused(answer)
        commit = commit_of(self._at, source.commit or "refs/scoring/wanted")
        if not commit:
            what = (
                f"{source.address} has no commit {source.commit}" if source.commit else f"{self.where} is not a commit"
            )
            raise InputError(f"{what}; name a tag of one, or another commit")
        return commit

    def _refused(self, answer: ProgramAnswer) -> InputError:
        """Return the error for a failed fetch, with the reason: the tag is a branch, the tag does not exist, or what
        git says.

        Args:
            answer: The result of running git.
        """
        source = self._source
        if source.tag and "find remote ref" in answer.said:
            options = "--quiet", "--heads", "--tags", "--refs", "--end-of-options"
            out = run_git(self._at, "ls-remote", *options, source.address).out.decode("utf-8", "replace")
            known = set(re.findall(r"(?m)^[0-9a-f]+\trefs/(heads|tags)/(.+)$", out))
            if ("heads", source.tag) in known:
                return InputError(
                    f"{shown(source.tag)} is a branch of {source.address}: it moves, so it can't be locked; "
                    "name a tag or a commit"
                )
            tags = sorted((name for kind, name in known if kind == "tags"), reverse=True)[:5]
            there = f"its tags are {', '.join(map(shown, tags))}" if tags else "it has none"
            return InputError(f"{source.address} has no tag {shown(source.tag)}; {there}")
        return InputError(f"{source.address} can't be fetched: {_words(answer)}")

    def _listing(self) -> list[str]:
        """Return the git arguments that list all files of the commit."""
        return ["ls-tree", "-r", "-l", "-z", "--full-tree", self.commit]

    def _listed(self, *arguments: str) -> dict[str, Entry]:
        answer = run_git(self._at, *(arguments or self._listing()))
        found: dict[str, Entry] = {}
        for line in filter(None, answer.out.split(b"\0")):
            entry = _ENTRY.fullmatch(line)
            if entry is None or len(found) >= MOST_FILES:
                raise InputError(f"{self.where} has more than {MOST_FILES:,} files; name the folder of the pack")
            path, mode = entry[5].decode("utf-8", "surrogateescape"), entry[1].decode()
            is_file = mode in ("100644", "100755", "100664") and entry[2] == b"blob"
            if mode != _FOLDER:
                found[path] = int(entry[4]) if is_file else _KINDS.get(mode, "not a plain file")
                self._oids[path] = entry[3].decode()
        return found

    def entry(self, path: str) -> Entry | None:
        """Return the size of the file at a path, or a description of what it is if it is no regular file; None for a
        folder or nothing.

        Only that path is listed, which matters for large repositories.
        """
        if path not in self._entries and self._lists_late and not path_fault(path):
            self._entries |= self._listed("ls-tree", "-l", "-z", "--full-tree", self.commit, "--", path)
        return super().entry(path)

    def below(self, folder: str) -> Mapping[str, Entry]:
        """Return, by path, the size of each file below a folder, or a description of what it is if it is no regular
        file."""
        if self._lists_late:
            self._entries |= self._listed(*self._listing(), *(["--", f"{folder}/"] if folder else []))
        return super().below(folder)

    def content(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """Return the bytes of the files at some paths as git stores them, without applying filters."""
        wanted = [path for path in paths if path not in self._contents]
        if wanted:
            names = "".join(f"{self._oids[path]}\n" for path in wanted).encode()
            most = MOST_CONTENT + 200 * len(wanted)
            answer = run_git(self._at, "cat-file", "--batch", standard_input=names, most=most)
            self._contents |= dict(zip(wanted, _blobs(self.where, answer.out), strict=True))
        return super().content(paths)


def _blobs(where: str, out: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(out):
        head, _, _ = out[at : at + 200].partition(b"\n")
        words = head.split(b" ")
        if len(words) != 3 or words[1] != b"blob" or not words[2].isdigit() or int(words[2]) > MOST_BYTES:
            raise InputError(f"{where} holds a damaged object; fetch it again")
        start, size = at + len(head) + 1, int(words[2])
        found.append(out[start : start + size])
        at = start + size + 1
    return found


def _fetch(folder: Path, address: str, *refs: str, is_shallow: bool = False) -> ProgramAnswer:
    fixed = ("--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--no-auto-maintenance")
    depth = ("--depth=1",) if is_shallow else ()
    return run_git(folder, "fetch", *fixed, *depth, "--end-of-options", address, *refs)


def repository_above(folder: Path) -> Path | None:
    """Return the top folder of the git repository that contains a folder (the nearest one with `.git`); None if it is
    in none.

    Git itself also treats a folder with files named `HEAD`, `objects` and `refs` as a repository. The settings of such
    a folder could have been committed by a stranger, so it does not count here.
    """
    return next((place for place in [folder, *folder.parents][:_MOST_LEVELS] if (place / ".git").exists()), None)


def _environment(folder: Path) -> dict[str, str]:
    """Return the environment variables for running git in a folder, without variables that refer to another
    repository."""
    found = {
        name: value
        for name, value in children.environment(
            GIT_TERMINAL_PROMPT="0",
            GIT_OPTIONAL_LOCKS="0",
            GIT_NO_LAZY_FETCH="1",
            GIT_LITERAL_PATHSPECS="1",
            SSH_ASKPASS_REQUIRE="never",
            LC_ALL="C",
        ).items()
        if name not in _DROPPED and not name.startswith("GIT_TRACE")
    }
    # This variable is also obeyed by processes that git starts in a local repository, unlike the settings above.
    found["GIT_ALLOW_PROTOCOL"] = ":".join(SCHEMES)
    # A temporary folder is not part of a repository above it, and a bare repository in it has no `.git` folder.
    found["GIT_CEILING_DIRECTORIES"] = str(folder.parent)
    return found if (folder / ".git").exists() else {**found, "GIT_DIR": str(folder)}


def run_git(folder: Path, *arguments: str, standard_input: bytes = b"", most: int = 16_000_000) -> ProgramAnswer:
    """Run git in a repository, with settings that prevent side effects of the repository's configuration and content.

    Args:
        folder: The repository: the result of `repository_above`, or an empty temporary folder.
        arguments: The command and its arguments; untrusted names must follow `--end-of-options`.
        standard_input: The standard input.
        most: The largest number of bytes of output.

    Raises:
        InputError: when git is not installed, takes too long, or prints too much.
    """
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    return capture_program_output(
        ["git", *settings, *arguments],
        what="git",
        folder=folder,
        environment=_environment(folder),
        standard_input=standard_input,
        most=most,
    )


def commit_of(folder: Path, revision: str) -> str:
    """Return the hash of the commit to which a revision (a tag, a branch, a hash) of a repository refers; "" if it
    refers to none."""
    found = run_git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    commit = found.out.decode("ascii", "replace").strip()
    return commit if found.status == 0 and COMMIT.fullmatch(commit) else ""


_LOCKED = "it requires a name and a password that git does not have; give them to git's credential helper"
_CAUSES = (
    ("authentication failed", _LOCKED),
    ("could not read username", _LOCKED),
    ("could not read password", _LOCKED),
    ("permission denied", "it rejects these keys; check `ssh-add -l`"),
    ("host key verification failed", "its SSH key is not known here; connect once by hand"),
    ("returned error: 30", "it redirects to another address, which is not followed; write that address"),
    ("returned error: 404", "there is no such repository"),
    ("not found", "there is no such repository"),
    ("does not appear to be a git repository", "there is no such repository"),
    ("not our ref", "it has no such commit"),
    ("dubious ownership", "it belongs to another user; tell git that you trust it (`safe.directory`)"),
    ("index-pack", f"it is damaged, or larger than {MOST_FETCHED:,} bytes; share packs in a smaller repository"),
    ("file size limit", f"it is larger than {MOST_FETCHED:,} bytes; share packs in a smaller repository"),
    ("file too large", f"it is larger than {MOST_FETCHED:,} bytes; share packs in a smaller repository"),
)


def _words(answer: ProgramAnswer) -> str:
    """Return the reason why git failed: an explanation if the cause is known, else the last error that git itself
    printed.

    Args:
        answer: The result of running git.
    """
    said = answer.said.lower()
    if answer.status == -25:  # SIGXFSZ
        said += "file size limit"
    for mark, words in _CAUSES:
        if mark in said:
            return words
    own = "\n".join(line for line in answer.said.splitlines() if "remote error" not in line)
    return last_error(own, "fatal:", "error:") or f"git ended with status {answer.status}"
