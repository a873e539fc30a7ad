"""The verb that releases packs: it compares each with its last release to find the version required, and builds."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from scoring.api.arguments import verb
from scoring.api.result import Result
from scoring.api.sources import source
from scoring.data.address import hide_credentials as shown_address
from scoring.data.os_errors import telling
from scoring.data.output import FOLDER_MODE, write_file
from scoring.data.rows.read import read_rows
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.diagnostics.words import counted, shown
from scoring.errors import InputError
from scoring.extensions.sharing.documents.travelling import release_document
from scoring.extensions.sharing.release.earlier import tagged
from scoring.extensions.sharing.release.judgement import check_accepted
from scoring.extensions.sharing.release.judging import Effort, judge_release
from scoring.extensions.sharing.release.preparing import (
    ReleaseWish,
    pack_release,
    packed_content,
    prepare_release,
    version_finding,
)
from scoring.extensions.sharing.release.repository import PackRepository
from scoring.extensions.sharing.release.versions import Edition
from scoring.extensions.sharing.release.wheel import wheel_of
from scoring.extensions.sharing.sides import diff_side
from scoring.format.load import Loader
from scoring.format.model import Pack
from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from scoring.extensions.sharing.release.judgement import ReleaseJudgement
    from scoring.extensions.sharing.release.preparing import PreparedRelease
    from scoring.extensions.sharing.release.wheel import PackedRelease


_DISTRIBUTION = lazy_pattern(r"([A-Za-z0-9][A-Za-z0-9._-]*?)(?:==([0-9][\w.+!-]*))?")
MOST = 100_000
"""The most records of an author that are tried."""


@dataclass(frozen=True, repr=False)
class Released(Result):
    """The result of a release, or of a dry run of one.

    Args:
        findings: Errors to fix, and warnings.
    """

    findings: tuple[Diagnostic, ...] = ()

    @property
    def passed(self) -> bool:
        """True if no finding prevents the release."""
        return bool(self.data["passed"])


@verb
def release(
    packs: str | Path | Sequence[str | Path],
    *,
    dry_run: bool = False,
    against: str | Path | None = None,
    raise_version: bool = False,
    accept: Mapping[str, str] | None = None,
    day: str | None = None,
    tag: bool = False,
    wheel: str | Path | None = None,
    distribution: str | None = None,
    earlier: bool = False,
    to: str | Path | None = None,
    strict: bool = False,
) -> Released:
    """Check packs for a release, report which part of the version must be raised, write the changelog, and build.

    Nothing is written if any of the packs can't be released.

    Args:
        packs: The files of packs, one or several.
        dry_run: Whether to only report what would be done.
        against: The version to compare with in place of the last release: a file, a tag, an address.
        raise_version: Whether to write the required version into a file whose version is too low.
        accept: The reasons why no score changes, by the names of definitions whose programs differ although no input
            was found that shows it; they go into the changelog.
        day: The day of the changelog's entry, `2026-11-22`; by default that of SOURCE_DATE_EPOCH, or today.
        tag: Whether to make an annotated tag of the last commit, which must contain the files as they are released.
        wheel: The folder in which a wheel of the packs is written.
        distribution: The wheel's name and version, such as ``acme-metrics==1.2.0``; by default those of the only pack.
        earlier: Whether to add the earlier releases that are found to the wheel.
        to: The folder or address at which the packs are published, with a list of all releases there.
        strict: Whether to let warnings, too, prevent the release.

    Raises:
        InputError: when a file is not a pack, options can't be combined, or a file can't be written.
        SpecError: when a file can't be read.

    Examples:
        >>> import tempfile
        >>> from scoring.extensions.authoring.writing import new
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release(new("pack", f"{folder}/close.yaml"), dry_run=True).passed
        True
    """
    paths = [Path(packs)] if isinstance(packs, str | Path) else [Path(one) for one in packs]
    built = _Built(tag, wheel, distribution, earlier, to)
    _check_together(paths, built, raises=raise_version)
    old, place = (None if one is None else str(one) for one in (against, to))
    leaves = wheel is not None or to is not None
    wish = ReleaseWish(old, raise_version, accept or {}, _day(day), tag, place, leaves)
    return _released(paths, wish, built, dry_run=dry_run, strict=strict)


class _Built(Struct, frozen=True):
    """The options about what a release builds besides the changelog: a git tag, a wheel, a publication."""

    tag: bool
    wheel: str | Path | None
    distribution: str | None
    earlier: bool
    to: str | Path | None


def _released(paths: Sequence[Path], wish: ReleaseWish, built: _Built, *, dry_run: bool, strict: bool) -> Released:
    made = [prepare_release(path, wish) for path in paths]
    judgements = [one.judgement for one in made if one.judgement is not None]
    if len(judgements) == len(made):  # otherwise a pack that could not be judged may need an acceptance later
        check_accepted(wish.accepted, judgements)
    passed = all(one.passed and not (strict and one.findings) for one in made)
    data: dict[str, Any] = {
        "passed": passed,
        "dry_run": dry_run,
        "packs": [_pack_data(one, strict) for one in made],
        "wheel": None,
        "to": None if built.to is None else shown_address(str(built.to)),
        "next": [],
    }
    findings = tuple(finding for one in made for finding in one.findings)
    if passed and not dry_run:
        for one, shown_as in zip(made, data["packs"], strict=True):
            for what, path, text in _changed(one):
                write_file(path, text.encode())
                shown_as["written"].append(f"{what} in {path}")
        _build(made, data, built)
        data["next"] = _next(made, tag=built.tag)
    return Released(data, counted(len(made), "pack"), release_document, "packs", findings=findings)


def _check_together(paths: Sequence[Path], built: _Built, *, raises: bool) -> None:
    """Check that options of `release` have an effect and can be combined.

    Args:
        paths: The files of the packs.
        built: The options about what is built.
        raises: Whether the required version is written into the files.

    Raises:
        InputError: with the option to add or to leave out.
    """
    if not paths:
        raise InputError("name the packs to release")
    if built.tag and raises:
        raise InputError("--raise changes the file, which is committed before a tag is made: leave one of them out")
    if built.wheel is None and (built.distribution is not None or built.earlier):
        what = "--distribution" if built.distribution is not None else "--earlier"
        raise InputError(f"{what} is for a wheel: add --wheel DIR")
    if built.wheel is not None and built.distribution is None and len(paths) > 1:
        raise InputError("a wheel of several packs has a name and a version of its own: --distribution acme-packs==1.0")


def _day(day: str | None) -> str:
    """Return the day of a changelog entry in ISO format: as given, else from SOURCE_DATE_EPOCH, else today.

    Raises:
        InputError: when the given day or the variable is invalid.
    """
    if day is not None:
        try:
            return date.fromisoformat(day).isoformat()
        except ValueError:
            raise InputError(f"{shown(day)} is not a date; write it as 2026-11-22") from None
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is {shown(epoch)}; it is a number of seconds since 1970") from None


def _pack_data(one: PreparedRelease, strict: bool) -> dict[str, Any]:
    judgement, last = one.judgement, one.last
    return {
        "pack": str(one.path),
        "name": one.pack.name,
        "version": one.pack.version,
        "passed": one.passed and not (strict and one.findings),
        "released": one.is_there,
        "last": None if last is None else {"version": last.version, "where": last.where},
        "judgement": None if judgement is None else judgement.to_json(),
        "entry": one.entry(),
        "tag": one.tag,
        "findings": [
            {
                "id": found.id,
                "severity": found.severity,
                "message": found.message,
                "place": None if found.span is None else str(found.span),
            }
            for found in one.findings
        ],
        "written": [],
    }


def _changed(one: PreparedRelease) -> list[tuple[str, Path, str]]:
    """Return the files that a release writes with another text, each as a description, its path and its new text."""
    version = one.pack.version
    texts = (
        (f"version {version}", one.path, one.before, one.text),
        (f"the entry of {version}", one.log, one.log_before, one.log_after),
    )
    return [(what, path, after) for what, path, before, after in texts if before != after]


def _build(made: Sequence[PreparedRelease], data: dict[str, Any], built: _Built) -> None:
    """Write the wheel, publish the packs and make the git tags of a release, as far as the options request it.

    Args:
        made: The prepared releases.
        data: The result as plain data, to which what was built is added.
        built: The options.
    """
    if built.wheel is not None or built.to is not None:
        whole = [pack_release(one) for one in made]
        if built.wheel is not None:
            found = [*(_earlier(made) if built.earlier else ()), *whole]
            data["wheel"] = _wheel(found, made, Path(built.wheel), built.distribution)
        if built.to is not None:
            from scoring.extensions.sharing.release.publishing import publish_releases

            data["published"] = publish_releases(whole, str(built.to))
    for one, shown_as in zip(made, data["packs"], strict=True):
        message = f"{one.pack.name} {one.pack.version}\n\n{one.entry()}\n"
        if built.tag and one.repository is not None and one.repository.tag(one.tag, message):
            shown_as["written"].append(f"the tag {one.tag}")


def _earlier(made: Sequence[PreparedRelease]) -> list[PackedRelease]:
    """Return the earlier releases of packs that the tags of their repositories contain, with their files; for each pack
    the oldest first.

    Args:
        made: The prepared releases of the packs.
    """
    found = []
    for one in made:
        if one.repository is not None:
            known = [*tagged(one.repository, one.pack.name, one.path.parent)]
            others = (other for other in reversed(known) if other.version != one.pack.version)
            found += [packed_content(other.content, other.pack) for other in others]
    return found


def _wheel(
    releases: Sequence[PackedRelease], made: Sequence[PreparedRelease], folder: Path, distribution: str | None
) -> str:
    """Write a wheel of some releases and return its path.

    Args:
        releases: The releases that it contains.
        made: The prepared releases, the first of which names the wheel by default.
        folder: The folder to which it is written.
        distribution: Its name and version, such as `acme-metrics==1.2.0`; None for those of the pack.

    Raises:
        InputError: when its name is invalid, or there is a wheel of that name with other content.
    """
    own = made[0].pack
    said = _DISTRIBUTION.fullmatch(own.name.replace("/", "-") if distribution is None else distribution)
    if said is None or (said[2] is None and len(made) > 1):
        raise InputError(f"{shown(distribution or own.name)} is not a distribution; write it as acme-metrics==1.2.0")
    wheel = wheel_of(releases, said[1], said[2] or own.version)
    path = folder / wheel.filename
    with telling(f"can't write {path}"):
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() != wheel.content:
            raise InputError(f"{path} exists with other content; a release is never changed: raise the version")
    write_file(path, wheel.content)
    return str(path)


def _next(made: Sequence[PreparedRelease], *, tag: bool) -> list[str]:
    """Return the shell commands that a user runs next to complete a release; empty if there are none.

    Args:
        made: The prepared releases.
        tag: Whether tags were made, which must be pushed.
    """
    if tag:
        return [f"git push {one.repository.remote()} {one.tag}" for one in made if one.repository is not None]
    changed = [str(path) for one in made for _, path, _ in _changed(one)]
    if changed and all(one.repository is not None for one in made):
        names = " ".join(str(one.path) for one in made)
        return [f"git add {' '.join(dict.fromkeys(changed))}; git commit; scoring release {names} --tag"]
    return []


def held_against(
    files: Sequence[Path],
    old: str | Path | Mapping[str, Any],
    loader: Loader,
    accept: Mapping[str, str],
    data: str | Path | None,
) -> tuple[ReleaseJudgement, list[Diagnostic]]:
    """Judge which part of a spec's version must be raised over an older version, and return that with a finding if the
    version is too low.

    Args:
        files: A list with only the spec's file.
        old: The older version, as for `diff`; a tag or a commit alone means the same file there.
        loader: The loader of the spec.
        accept: Accepted differences, as for `release`.
        data: A file of records to try.

    Raises:
        InputError: when the older version can't be found, there are several files, or an acceptance is not needed.
        SpecError: when one of the versions does not compile.
    """
    if len(files) != 1:
        raise InputError(f"--against compares one spec with another version of it, but here are {len(files)}: name one")
    with ExitStack() as stack:
        before = diff_side(_at_commit(old, files[0]), stack, loader.dialect)
        new = Edition(loader.file(files[0], str(files[0])), loader)
        records = () if data is None else tuple(_tried_records(data, isinstance(new.loaded.spec, Pack)))
        found = judge_release(Edition(before.loaded, before.loader), new, Effort(accepted=accept, records=records))
    check_accepted(accept, [found])
    findings = [] if found.suffices else [version_finding(found, new.loaded.spec, before.shown)]
    return found, findings


def _at_commit(old: str | Path | Mapping[str, Any], file: Path) -> str | Path | Mapping[str, Any]:
    """Return the older version to compare a spec with; the name of a tag or a commit becomes the spec's own file at
    that commit.

    Args:
        old: The version as the user gave it.
        file: The spec's file.
    """
    if not isinstance(old, str) or ":" in old or "@" in old or Path(old).exists():
        return old
    repository = PackRepository.of(file)
    at = repository is not None and repository.commit(old)
    return f"{old}:./{Path(os.path.relpath(file)).as_posix()}" if at else old


def _tried_records(data: str | Path, is_pack: bool) -> list[dict[str, Any]]:
    """Return the records of a file, on which two versions of a spec are compared; for a pack, reduced to the keys
    ``prediction``, ``reference`` and ``record``.

    Args:
        data: The file.
        is_pack: Whether the spec is a pack.

    Raises:
        InputError: when there are more than `MOST`, or no record has a prediction for a pack.
    """
    file = source(data)
    if isinstance(file, Path):
        raise InputError(f"{data} is a folder; --data is a file of records")
    rows = [dict(row.record) for row in islice(read_rows(file), MOST + 1) if row.record is not None]
    if len(rows) > MOST:
        raise InputError(f"{data} has more than {MOST:,} records; give a part of it, since --data is tried as a whole")
    if not is_pack:
        return rows
    kept = [{"prediction": row.get("prediction", row.get("response")), **row} for row in rows]
    if kept and not any("prediction" in row or "response" in row for row in rows):
        raise InputError(f"{data}: no record has a `prediction`; a pack is tried on `prediction` and `reference`")
    known = ("prediction", "reference", "context", "record")
    return [{key: value for key, value in row.items() if key in known} for row in kept]
