"""Preparation of a release: the version it is compared with, the findings, and what would be written."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from scoring.compiler.compile import check
from scoring.data.plain_files import real_path
from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Span
from scoring.errors import InputError
from scoring.extensions.sharing.release import changelog, earlier
from scoring.extensions.sharing.release.checks import pack_findings
from scoring.extensions.sharing.release.earlier import EarlierRelease
from scoring.extensions.sharing.release.judgement import Reason, ReleaseJudgement
from scoring.extensions.sharing.release.judging import Effort, judged
from scoring.extensions.sharing.release.repository import PackRepository, tag_name
from scoring.extensions.sharing.release.versions import Edition
from scoring.extensions.sharing.release.wheel import PackedRelease
from scoring.extensions.sharing.sources.content import PROJECT, ReleaseContent, packs_in, signature_name
from scoring.extensions.sharing.sources.folder import FolderTree
from scoring.format.formatter import written
from scoring.format.load import Loader
from scoring.format.locate import says_pack
from scoring.format.model import Pack, Spec
from scoring.format.read import read_source, read_text
from scoring.format.sections import is_path
from scoring.project.find import SPEC_FILES
from scoring.project.project import project_of
from scoring.project.versions import parse_version

_NAME = re.compile(r"""(?m)^[ \t{]*["']?name["']?[ \t]*:[ \t]*["']?([\w./-]+)""")
_MOST_SHOWN = 6


@dataclass(frozen=True, slots=True)
class ReleaseWish:
    """The options of a release.

    Args:
        against: What it is held against, in place of the last release that is found.
        raises: Whether the version that is needed is written where the one that is written is too low.
        accepted: Definitions of which the author says that no score moves, by name, with the reason.
        date: The day of the changelog's entry.
        tags: Whether a tag is made.
        to: The address that it is put at, where earlier releases are looked for, too.
        leaves: Whether it goes elsewhere without its repository: into a wheel, or to an address.
    """

    against: str | None = None
    raises: bool = False
    accepted: Mapping[str, str] = field(default_factory=dict)
    date: str = ""
    tags: bool = False
    to: str | None = None
    leaves: bool = False


@dataclass(frozen=True, slots=True)
class PreparedRelease:
    """A release that could be made.

    Args:
        path: The pack's file.
        pack: The pack as it would be released.
        last: What it was held against, None for a first release.
        judgement: Which part of the version must be raised.
        findings: What has to be mended, and what is doubtful.
        text: The file's text with the version that is released.
        before: The file's text as it is.
        log: Where its changelog is.
        log_before: The changelog's text, "" where there is none.
        log_after: The same with the entry.
        is_alone: Whether the changelog is of this pack alone.
        repository: Where it lies, if it lies in one.
        tag: What its tag is called.
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
        """Whether nothing hinders it."""
        return not any(one.severity == "error" for one in self.findings)

    @property
    def is_there(self) -> bool:
        """Whether it was released before, with this content."""
        is_moved = self.judgement is not None and self.judgement.part
        return self.last is not None and self.last.version == self.pack.version and not is_moved

    def entry(self) -> str:
        """Its entry in the changelog."""
        return changelog.entry_in(self.log_after, self.pack.name, self.pack.version, is_alone=self.is_alone) or ""


def prepared(path: Path, wish: ReleaseWish) -> PreparedRelease:
    """Return a release of a pack, prepared: nothing is written.

    Raises:
        InputError: when it is no pack, or what it is held against can't be had.
        SpecError: when it is not in order.
    """
    before, loader = read_source(path).text, Loader()
    edition = Edition(loader.text(before, path), loader)
    pack = _pack(edition, path)
    repository = PackRepository.of(path)
    broken = tuple(one for one in check(edition.loaded, loader) if one.severity == "error")
    log, is_alone = path.with_name(changelog.NAME), _is_alone(path, pack.name)
    if broken:
        return PreparedRelease(path, pack, None, None, broken, before, before, log)
    last, newest = _last(path, pack, repository, wish)
    judgement = None if last is None else judged(last.edition, edition, Effort(accepted=wish.accepted))
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
        entry = changelog.entry_of(pack, last.pack if last is not None else None, judgement)
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
    """Return the release that it is compared with, and the newest version that exists."""
    if wish.against is not None:
        one = earlier.named(wish.against, pack.name, pack.version, path)
        return one, one.version
    found = list[EarlierRelease]()
    places = [earlier.tagged(repository, pack.name, path.parent)] if repository is not None else []
    if wish.to is not None:
        places.append(earlier.listed_at(wish.to, pack.name, path.parent))
    for place in places:
        for one in place:  # each is read when it is looked at
            found.append(one)
            if parse_version(one.version) <= parse_version(pack.version):
                break
    older = (one for one in found if parse_version(one.version) <= parse_version(pack.version))
    last = max(older, key=lambda one: parse_version(one.version), default=None)
    return last, max((one.version for one in found), key=parse_version, default="")


def _version(
    pack: Pack, last: EarlierRelease | None, judgement: ReleaseJudgement | None, newest: str
) -> Iterator[Diagnostic]:
    """Yield what is wrong with the version that is written."""
    if last is None and newest:
        message = f"{pack.version} is older than every release of `{pack.name}`; {newest} is the newest"
        told = "write a version that is newer than the release that this one follows"
        yield diagnostic("error", "version-too-low", message, _place(pack), help=told)
    if judgement is not None and last is not None and judgement.part and not judgement.suffices:
        yield version_finding(judgement, pack, last.where)


def version_finding(judgement: ReleaseJudgement, spec: Spec, where: str) -> Diagnostic:
    """Return the finding of a version that is raised too little, with every reason and the input that shows it."""
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
    """Yield what the author may do where nothing but a proof is missing."""
    if all(one.basis in ("unproved", "meaning") for one in reasons):
        names = list(dict.fromkeys(one.name for one in reasons))
        options = " ".join(f'--accept "{name}=WHY"' for name in names[:_MOST_SHOWN])
        yield f"or, where you can say why no score moves: `{options}`"


def _place(spec: Spec) -> Span:
    """Return where its version is written."""
    span = spec.span
    assert span is not None, "a spec that was read knows where its name stands"
    node = read_text(span.source.text, span.source.name).get("version")
    return span if node is None else node.span


def _out_of_reach(pack: Pack, path: Path, repository: PackRepository | None, *, leaves: bool) -> Iterator[Diagnostic]:
    """Imports by name that come from a folder which nobody else can fetch together with the pack."""
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
            told = "release it, too, and name its tag or address in the project file"
            yield diagnostic("warning", "release-incomplete", message, entry.span, help=told)


def _with_version(path: Path, text: str, version: str) -> str:
    """Return the text of a pack with another version; comments and everything else stay."""
    node = read_text(text, str(path)).get("version")
    assert node is not None, "a pack has a version"
    found = written(node.span.source, node.span.start, node.span.end, version)
    if found is None:
        raise InputError(f"{path}: {version} can't be written without changing more of the file; do it by hand")
    return text[: node.span.start] + found + text[node.span.end :]


def _is_alone(path: Path, name: str) -> bool:
    """Tell whether no file beside a pack is another pack."""
    for other in sorted(real_path(path).parent.iterdir()):
        if other.suffix.lower() in SPEC_FILES and other.is_file() and other.stat().st_size < 8_000_000:
            content = other.read_bytes()
            said = _NAME.search(content.decode("utf-8", "replace"))
            if says_pack(content) and said is not None and said[1] != name:
                return False
    return True


def _tag(path: Path, pack: Pack, repository: PackRepository) -> str:
    """Return what the tag of a release is called: as that of the last one; with the pack's name where there are
    others."""
    known = repository.tags(pack.name)
    alone = not known[0].is_named if known else repository.holds_one_pack()
    return tag_name(pack.name, pack.version, is_alone=alone)


def _untaggable(made: PreparedRelease) -> Iterator[Diagnostic]:
    """Yield what keeps a tag from being made now."""
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
        said += [(told, commit) for told in islice(made.repository.unclean([made.path, made.log]), _MOST_SHOWN)]
    for message, told in said:
        yield diagnostic("error", "release-not-committed", message, made.pack.span, help=told)


def packed(made: PreparedRelease) -> PackedRelease:
    """Return the files of a release as they are on disk.

    Raises:
        InputError: when a part of it lies elsewhere, or is no plain file.
    """
    here = real_path(made.path)
    root = here.parent.parent if made.repository is None else real_path(made.repository.root)
    tree = FolderTree(root, str(root) if made.repository is None else made.repository.root.name)
    found = packs_in(tree, os.path.relpath(here, root).replace(os.sep, "/"))[0]
    if (found.name, found.version) != (made.pack.name, made.pack.version):
        raise InputError(f"{made.path} was changed while it was released; try again")
    return packed_content(found.content, made.pack)


def packed_content(content: ReleaseContent, pack: Pack) -> PackedRelease:
    """Return a release with its signature, and the project file that says where what it imports by name comes from."""
    more = {PROJECT: content.project} if content.needs and content.project is not None else {}
    if content.signature is not None:
        signature = posixpath.join(posixpath.dirname(content.entry), signature_name(pack.name, pack.version))
        more[signature] = content.signature
    return PackedRelease(pack.name, pack.version, content.entry, {**content.files, **more}, pack.doc, content.requires)
