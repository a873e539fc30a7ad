"""Preparation of a release: the version it is compared with, the findings, and what would be written."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from scoring.compiler.tasks.checking import check_spec
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Span
from scoring.errors import InputError
from scoring.extensions.authoring.edits import text_to_write
from scoring.extensions.sharing.release import changelog, earlier
from scoring.extensions.sharing.release.checks import pack_findings
from scoring.extensions.sharing.release.earlier import EarlierRelease
from scoring.extensions.sharing.release.judgement import Reason, ReleaseJudgement
from scoring.extensions.sharing.release.judging import Effort, judge_release
from scoring.extensions.sharing.release.repository import PackRepository, tag_name
from scoring.extensions.sharing.release.versions import Edition
from scoring.extensions.sharing.release.wheel import PackedRelease
from scoring.extensions.sharing.sources.content import PROJECT, ReleaseContent, find_releases_in_tree, signature_name
from scoring.extensions.sharing.sources.folder import FolderTree
from scoring.format.definitions import SpecFile
from scoring.format.load import Loader
from scoring.format.locate import declares_pack
from scoring.format.model import Pack
from scoring.format.read import read_source, read_text
from scoring.format.sections import is_path
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES
from scoring.project.project import project_of
from scoring.project.versions import parse_version

_NAME = lazy_pattern(r"""(?m)^[ \t{]*["']?name["']?[ \t]*:[ \t]*["']?([\w./-]+)""")
_MOST_SHOWN = 6


class ReleaseWish(Struct, frozen=True):
    """The options of a release.

    Args:
        against: The version to compare with; by default the last release that is found.
        raises: Whether to write the required version into the file if its version is too low.
        accepted: The author's reasons why no score changes, by the name of the definition.
        date: The day of the changelog's entry.
        tags: Whether to make a tag.
        to: The address to publish at, where earlier releases are searched, too; None for none.
        leaves: Whether the pack is distributed without its repository: in a wheel, or at an address.
    """

    against: str | None = None
    raises: bool = False
    accepted: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    tags: bool = False
    to: str | None = None
    leaves: bool = False


class PreparedRelease(Struct, frozen=True):
    """A release that is ready to be made, with everything that it would write.

    Args:
        path: The pack's file.
        pack: The pack as it would be released.
        last: The release that it was compared with; None for a first release.
        judgement: The part of the version that must be raised; None for a first release or a pack with errors.
        findings: The errors to fix, and warnings.
        text: The text of the file with the version to release.
        before: The present text of the file.
        log: The path of the changelog.
        log_before: The present text of the changelog; "" if there is none.
        log_after: The text of the changelog with the new entry.
        is_alone: Whether the changelog is of this pack alone.
        repository: The git repository of the file; None if it is in none.
        tag: The name of the tag; "" without a repository.
    """

    path: Path
    pack: Pack
    last: EarlierRelease | None
    judgement: ReleaseJudgement | None
    findings: tuple[Diagnostic, ...]
    text: str
    before: str
    log: Path
    log_before: str = ""
    log_after: str = ""
    is_alone: bool = True
    repository: PackRepository | None = None
    tag: str = ""

    @property
    def passed(self) -> bool:
        """True if no finding is an error, so that the release can be made."""
        return not any(one.severity == "error" for one in self.findings)

    @property
    def is_there(self) -> bool:
        """True if this version was released before with the same content."""
        is_moved = self.judgement is not None and self.judgement.part
        return self.last is not None and self.last.version == self.pack.version and not is_moved

    def entry(self) -> str:
        """Return the changelog's entry of the version to release; "" if it has none."""
        return changelog.entry_in(self.log_after, self.pack.name, self.pack.version, is_alone=self.is_alone) or ""


def prepare_release(path: Path, wish: ReleaseWish) -> PreparedRelease:
    """Return what the release of a pack would write, and the findings that prevent it; nothing is written.

    Args:
        path: The pack's file.
        wish: The options of the release.

    Raises:
        InputError: when the file is not a pack, or the version to compare with can't be read.
        SpecError: when the file can't be parsed, or the version to compare with has errors.
    """
    before, loader = read_source(path).text, Loader()
    edition = Edition(loader.text(before, path), loader)
    pack = _pack(edition, path)
    repository = PackRepository.of(path)
    broken = tuple(one for one in check_spec(edition.loaded, loader) if one.severity == "error")
    log, is_alone = path.with_name(changelog.NAME), _is_alone(path, pack.name)
    if broken:
        return PreparedRelease(path, pack, None, None, broken, before, before, log)
    last, newest = _last(path, pack, repository, wish)
    judgement = None if last is None else judge_release(last.edition, edition, Effort(accepted=wish.accepted))
    text = before
    if wish.raises and judgement is not None and not judgement.suffices:
        text = _with_version(path, before, judgement.needed)
        judgement = replace(judgement, new=judgement.needed)
        edition = Edition(loader.text(text, path), loader)
        pack = _pack(edition, path)
    version = pack.version if judgement is None or judgement.suffices else judgement.needed
    findings = [*pack_findings(edition, last.edition if last is not None else None, version)]
    findings += _version(pack, last, judgement, newest)
    findings += _out_of_reach(pack, path, repository, leaves=wish.leaves)
    log_before = read_source(log).text if log.is_file() else ""
    tag = "" if repository is None else _tag(path, pack, repository)
    made = PreparedRelease(
        path, pack, last, judgement, (), text, before, log, log_before, log_before, is_alone, repository, tag
    )
    if not made.is_there or wish.tags:
        entry = changelog.format_changelog_entry(pack, last.pack if last is not None else None, judgement)
        after = changelog.with_entry(log_before, pack.name, pack.version, wish.date, entry, is_alone=is_alone)
        made = replace(made, log_after=after)
    if wish.tags:
        findings += _untaggable(made)
    return replace(made, findings=tuple(findings))


def _pack(edition: Edition, path: Path) -> Pack:
    spec = edition.loaded.spec
    if not isinstance(spec, Pack):
        raise InputError(f"{path} is not a pack (`kind: pack`); tasks and suites are shared with `scoring bundle`")
    return spec


def _last(
    path: Path, pack: Pack, repository: PackRepository | None, wish: ReleaseWish
) -> tuple[EarlierRelease | None, str]:
    """Return the release to compare with, and the newest version that was released; None and "" for a first release.

    Args:
        path: The pack's file.
        pack: The pack.
        repository: Its git repository, if any.
        wish: The options of the release.
    """
    if wish.against is not None:
        one = earlier.find_earlier_release(wish.against, pack.name, pack.version, path)
        return one, one.version
    found = list[EarlierRelease]()
    sources = [earlier.tagged(repository, pack.name, path.parent)] if repository is not None else []
    if wish.to is not None:
        sources.append(earlier.listed_at(wish.to, pack.name, path.parent))
    for source in sources:
        for one in source:  # each is read only when it is reached
            found.append(one)
            if parse_version(one.version) <= parse_version(pack.version):
                break
    older = (one for one in found if parse_version(one.version) <= parse_version(pack.version))
    last = max(older, key=lambda one: parse_version(one.version), default=None)
    return last, max((one.version for one in found), key=parse_version, default="")


def _version(
    pack: Pack, last: EarlierRelease | None, judgement: ReleaseJudgement | None, newest: str
) -> Iterator[Diagnostic]:
    """Yield the findings about the version in a pack's file: it is older than all releases, or raised too little.

    Args:
        last: The release to compare with; None if there is none.
        judgement: The part that must be raised; None without such a release.
        newest: The newest version that was released; "" for a first release.
    """
    if last is None and newest:
        message = f"{pack.version} is older than every release of `{pack.name}`; {newest} is the newest"
        advice = "write a version that is newer than the release that this one follows"
        yield diagnostic("error", "version-too-low", message, _place(pack), help=advice)
    if judgement is not None and last is not None and judgement.part and not judgement.suffices:
        yield version_finding(judgement, pack, last.where)


def version_finding(judgement: ReleaseJudgement, spec: SpecFile, where: str) -> Diagnostic:
    """Return the finding that the version in a file is raised too little, with every reason and its counterexample.

    Args:
        judgement: The part that must be raised.
        spec: The file.
        where: The place of the old version, for the message.
    """
    old, new = judgement.old, judgement.new
    how = f"a {judgement.written} release after {old}" if judgement.written else "released already"
    weighty = [one for one in judgement.reasons if one.part == judgement.part]
    notes = [str(one) for one in weighty[:_MOST_SHOWN]]
    if len(weighty) > _MOST_SHOWN:
        notes.append(f"and {len(weighty) - _MOST_SHOWN} more like these")
    notes += [f"not tried: {one}" for one in judgement.untried]
    notes.append(f"compared with {old}: {where}")
    return diagnostic(
        "error",
        "version-too-low",
        f"`{spec.name}` {new} is {how}, and what was changed needs a {judgement.part} one",
        _place(spec),
        f"{judgement.needed} or newer",
        secondary=[Label(one.span, one.text) for one in weighty[:_MOST_SHOWN] if one.span is not None],
        help=[f"write `version: {judgement.needed}`{_OR_RAISE if isinstance(spec, Pack) else ''}", *_answers(weighty)],
        note=notes,
    )


_OR_RAISE = ", or let `scoring release --raise` write it"


def _answers(reasons: Sequence[Reason]) -> Iterator[str]:
    """Yield a hint on accepting the differences with `--accept`, if none of the reasons has an input that proves that
    scores change."""
    if all(one.basis in ("unproved", "meaning") for one in reasons):
        names = list(dict.fromkeys(one.name for one in reasons))
        options = " ".join(f'--accept "{name}=WHY"' for name in names[:_MOST_SHOWN])
        yield f"or, where you can say why no score moves: `{options}`"


def _place(spec: SpecFile) -> Span:
    """Return the location of the version in a spec's file, or of the spec's head if the file has no version."""
    span = spec.span
    assert span is not None, "a spec that was read knows where its name stands"
    node = read_text(span.source.text, span.source.name).get("version")
    return span if node is None else node.span


def _out_of_reach(pack: Pack, path: Path, repository: PackRepository | None, *, leaves: bool) -> Iterator[Diagnostic]:
    """Yield a warning for each import by name of a pack in a folder, if those who get the released pack can't get that
    folder with it.

    Args:
        pack: The released pack.
        path: Its file.
        repository: Its git repository, if any.
        leaves: Whether it is distributed without the repository.
    """
    project = project_of(path.parent)
    if project is None:
        return
    for entry in pack.imports:
        source = project.file.packs.get(entry.target.partition("@")[0])
        if is_path(entry.target) or source is None or source.kind != "folder":
            continue
        place = real_path(project.root / source.where)
        if leaves or repository is None or not place.is_relative_to(real_path(repository.root)):
            message = f"`{entry.target}` comes from the folder {source.where}, which others can't fetch with this pack"
            advice = "release it, too, and name its tag or address in the project file"
            yield diagnostic("warning", "release-incomplete", message, entry.span, help=advice)


def _with_version(path: Path, text: str, version: str) -> str:
    """Return the text of the pack's file at `path` (for messages) with its version replaced by `version`."""
    node = read_text(text, str(path)).get("version")
    assert node is not None, "a pack has a version"
    found = text_to_write(node.span.source, node.span.start, node.span.end, version)
    if found is None:
        raise InputError(f"{path}: {version} can't be written without changing more of the file; do it by hand")
    return text[: node.span.start] + found + text[node.span.end :]


def _is_alone(path: Path, name: str) -> bool:
    """Return True if the folder of a pack's file contains no other pack.

    Args:
        path: The file.
        name: The name of the pack.
    """
    for other in sorted(real_path(path).parent.iterdir()):
        if other.suffix.lower() in SPEC_FILES and other.is_file() and other.stat().st_size < 8_000_000:
            content = other.read_bytes()
            said = _NAME.search(content.decode("utf-8", "replace"))
            if declares_pack(content) and said is not None and said[1] != name:
                return False
    return True


def _tag(path: Path, pack: Pack, repository: PackRepository) -> str:
    """Return the name of the git tag for a release: in the form of the last tag, else with the pack's name if the
    repository has several packs."""
    known = repository.tags(pack.name)
    alone = not known[0].has_pack_name if known else repository.holds_one_pack()
    return tag_name(pack.name, pack.version, is_alone=alone)


def _untaggable(made: PreparedRelease) -> Iterator[Diagnostic]:
    """Yield an error for everything that prevents the prepared release from being tagged now, such as files that are
    not committed."""
    commit, said = "commit it, so that the tag names what is released", list[tuple[str, str]]()
    if made.repository is None:
        message = f"{made.path} is in no git repository, so nothing can be tagged"
        said.append((message, "leave `--tag` out, or `git init` and commit it first"))
    elif made.text != made.before or made.log_after != made.log_before:
        is_version = made.text != made.before
        name, what = (
            (made.path.name, "the version that is needed")
            if is_version
            else (made.log.name, f"an entry for {made.pack.version}")
        )
        said.append(
            (f"{name} does not have {what} yet", f"`scoring release {made.path}` writes it; commit that, then tag")
        )
    else:
        said += [(advice, commit) for advice in islice(made.repository.unclean([made.path, made.log]), _MOST_SHOWN)]
    for message, advice in said:
        yield diagnostic("error", "release-not-committed", message, made.pack.span, help=advice)


def pack_release(made: PreparedRelease) -> PackedRelease:
    """Return a prepared release with its files, read from disk, to be put into a wheel or published.

    Raises:
        InputError: when a file of the release is outside of the repository, is not a regular file, or was changed.
    """
    here = real_path(made.path)
    root = here.parent.parent if made.repository is None else real_path(made.repository.root)
    tree = FolderTree(root, str(root) if made.repository is None else made.repository.root.name)
    found = find_releases_in_tree(tree, os.path.relpath(here, root).replace(os.sep, "/"))[0]
    if (found.name, found.version) != (made.pack.name, made.pack.version):
        raise InputError(f"{made.path} was changed while it was released; try again")
    return packed_content(found.content, made.pack)


def packed_content(content: ReleaseContent, pack: Pack) -> PackedRelease:
    """Return a release to be put into a wheel or published: its files, its signature, and the project file if that
    names sources of its imports.

    Args:
        content: The files and what its source says about them.
        pack: The pack.
    """
    more = {PROJECT: content.project} if content.needs and content.project is not None else {}
    if content.signature is not None:
        signature = posixpath.join(posixpath.dirname(content.entry), signature_name(pack.name, pack.version))
        more[signature] = content.signature
    return PackedRelease(pack.name, pack.version, content.entry, {**content.files, **more}, pack.doc, content.requires)
