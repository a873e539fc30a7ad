"""The git repository of a pack: its tags, its uncommitted changes, and the tag of a release."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from scoring.data.plain_files import real_path
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.git import GitSource, commit_of, repository_above, run_git
from scoring.extensions.sharing.sources.process import last_error
from scoring.project.versions import is_version, parse_version


class ReleaseTag(Struct, frozen=True):
    """A tag of a release.

    Args:
        tag: Its name: ``close-v1.0.0``, or ``v1.0.0`` in a repository of a single pack.
        version: The version in its name.
        has_pack_name: Whether its name contains that of the pack.
    """

    tag: str
    version: str
    has_pack_name: bool


class PackRepository:
    """The local git repository of a pack; nothing is pushed or fetched."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def of(cls, path: Path) -> PackRepository | None:
        """Return the repository that contains a file; None if the file is in none, or git is not installed."""
        root = repository_above(real_path(path).parent)
        if root is None:
            return None
        try:
            answer = run_git(root, "rev-parse", "--show-toplevel")
        except InputError:  # git is not installed
            return None
        found = answer.out.decode("utf-8", "surrogateescape").removesuffix("\n")
        return cls(root) if answer.status == 0 and found and real_path(Path(found)) == root else None

    def tags(self, name: str) -> list[ReleaseTag]:
        """Return the tags of a pack's releases, newest version first; of two with one version, the one with the pack's
        name is first.

        Args:
            name: The name of the pack.
        """
        answer = run_git(self.root, "for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
        found = [one for tag in answer.out.decode("utf-8", "replace").splitlines() if (one := _release(tag, name))]
        return sorted(found, key=lambda one: (parse_version(one.version), one.has_pack_name), reverse=True)

    def holds_one_pack(self) -> bool:
        """Return True if at most one file in the repository is a pack."""
        pattern = "^[ {]*[\"']?kind[\"']?[ ]*:[ ]*[\"']?pack"
        names = run_git(self.root, "grep", "-l", "-z", "-I", "-E", pattern).out.split(b"\0")
        return sum(name.endswith((b".yaml", b".yml", b".json")) for name in names) <= 1

    def source(self, tag: str = "", commit: str = "", path: str = "") -> GitSource:
        """Return the repository's files at a tag or a commit, only those below `path` if it is given, as a source of
        packs."""
        return GitSource(f"file://{quote(str(self.root))}", tag=tag, commit=commit, path=path)

    def commit(self, revision: str) -> str:
        """Return the hash of the commit to which a revision (a tag, a branch, a hash) refers; "" if it refers to
        none."""
        return "" if revision.startswith("-") else commit_of(self.root, revision)

    def unclean(self, paths: Sequence[Path]) -> Iterator[str]:
        """Yield a line for each of the given files that git does not track, and for each tracked file with changes that
        are not committed."""
        names = [real_path(path).relative_to(real_path(self.root)).as_posix() for path in paths]
        known = run_git(self.root, "ls-files", "-z", "--", *names).out.decode("utf-8", "surrogateescape").split("\0")
        yield from (f"{name} is not committed" for name in names if name not in known)
        answer = run_git(self.root, "status", "--porcelain", "-z", "--untracked-files=normal")
        entries = answer.out.decode("utf-8", "surrogateescape").split("\0")
        changed = [entry[3:] for entry in entries if len(entry) > 3 and entry[2] == " " and entry[:2] != "??"]
        yield from (f"{name} was changed since the last commit" for name in changed)

    def tag(self, name: str, message: str) -> bool:
        """Make an annotated tag of the last commit; return True if it was made, and False if the commit has that tag
        already.

        Args:
            name: The name of the tag.
            message: Its message.

        Raises:
            InputError: when another commit has that tag, or git fails.
        """
        there = self.commit(f"refs/tags/{name}")
        if there:
            if there == self.commit("HEAD"):
                return False
            raise InputError(f"the tag {shown(name)} is on another commit ({there[:12]}); a release is never moved")
        answer = run_git(
            self.root,
            "tag",
            "--annotate",
            "--cleanup=whitespace",
            "--file=-",
            "--",
            name,
            standard_input=message.encode(),
        )
        if answer.status:
            why = last_error(answer.said, "fatal:", "error:") or f"it ended with status {answer.status}"
            raise InputError(f"git can't make the tag {shown(name)}: {why}")
        return True

    def remote(self) -> str:
        """Return the name of the remote that the current branch tracks; `origin` if none is configured."""
        branch = self._line("symbolic-ref", "--quiet", "--short", "HEAD")
        found = self._line("config", "--get", f"branch.{branch}.remote")
        return found if re.fullmatch(r"[A-Za-z0-9][\w.-]*", found) else "origin"

    def _line(self, *arguments: str) -> str:
        return run_git(self.root, *arguments).out.decode("utf-8", "replace").strip()


def tag_name(name: str, version: str, *, is_alone: bool) -> str:
    """Return the name of the git tag for the release of a pack.

    Args:
        name: The name of the pack.
        version: The version.
        is_alone: Whether the repository has this pack alone, so that tags need not contain its name.

    Examples:
        >>> tag_name("close", "1.0.0", is_alone=False), tag_name("close", "1.0.0", is_alone=True)
        ('close-v1.0.0', 'v1.0.0')
    """
    return f"v{version}" if is_alone else f"{name}-v{version}"


def _release(tag: str, name: str) -> ReleaseTag | None:
    for before, has_pack_name in ((f"{name}-v", True), ("v", False)):
        version = tag.removeprefix(before)
        if tag.startswith(before) and is_version(version):
            return ReleaseTag(tag, version, has_pack_name)
    return None
