"""Release packs: say what a version moves, refuse one that is raised too little, write down and build what goes out."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.files import without_credentials, write_file
from scoring.api.result import Result
from scoring.api.verb import verb
from scoring.data.rows.row import InputError
from scoring.diagnostics.words import counted, shown

if TYPE_CHECKING:
    from scoring.diagnostics.diagnostic import Diagnostic
    from scoring.sharing.release.preparing import PreparedRelease, ReleaseWish
    from scoring.sharing.release.wheel import PackedRelease

_DISTRIBUTION = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*?)(?:==([0-9][\w.+!-]*))?")


@dataclass(frozen=True, repr=False)
class Released(Result):
    """What was released, or would be, and what hinders it.

    Args:
        findings: What has to be mended, and what is doubtful.
    """

    findings: tuple[Diagnostic, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing hindered it."""
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
    """Check packs for a release, say which part of the version must be raised, write the changelog, build.

    Nothing is written where anything hinders the release of one of them.

    Args:
        packs: The packs' files.
        dry_run: Whether only to say what would be done.
        against: What they are held against in place of the last release: a file, a tag, an address.
        raise_version: Whether the version that is needed is written where the one that is written is too low.
        accept: Definitions whose programs differ and of which no input was found that moves, by name, with the reason
            why none does; it goes into the changelog.
        day: The day of the changelog's entry, `2026-11-22`; by default that of SOURCE_DATE_EPOCH, or today.
        tag: Whether to make an annotated tag of the last commit, in which all has to be as it is released.
        wheel: The folder that gets a wheel of them.
        distribution: The wheel's name and version, ``acme-metrics==1.2.0``; by default those of the only pack.
        earlier: Whether the earlier releases that are found go into the wheel, too.
        to: The folder or address that they are put at, with a list of all releases there.
        strict: Whether what is only doubtful hinders it, too.

    Raises:
        InputError: when a file is no pack, what was asked for can't be done, or something can't be written.
        SpecError: when a file can't be read.

    Examples:
        >>> import tempfile
        >>> from scoring.api.specs import new
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     release(new("pack", f"{folder}/close.yaml"), dry_run=True).passed
        True
    """
    from scoring.sharing.release.preparing import ReleaseWish

    paths = [Path(packs)] if isinstance(packs, str | Path) else [Path(one) for one in packs]
    built = _Built(tag, wheel, distribution, earlier, to)
    _check_together(paths, built, raises=raise_version)
    old, place = (None if one is None else str(one) for one in (against, to))
    leaves = wheel is not None or to is not None
    wish = ReleaseWish(old, raise_version, accept or {}, _day(day), tag, place, leaves)
    return _released(paths, wish, built, dry_run=dry_run, strict=strict)


@dataclass(frozen=True)
class _Built:
    """What is built of a release."""

    tag: bool
    wheel: str | Path | None
    distribution: str | None
    earlier: bool
    to: str | Path | None


def _released(paths: Sequence[Path], wish: ReleaseWish, built: _Built, *, dry_run: bool, strict: bool) -> Released:
    from scoring.report.of.travelling import release_document
    from scoring.sharing.release.judgement import check_accepted
    from scoring.sharing.release.preparing import prepared

    made = [prepared(path, wish) for path in paths]
    judgements = [one.judgement for one in made if one.judgement is not None]
    if len(judgements) == len(made):  # else it may be needed once there is something to judge
        check_accepted(wish.accepted, judgements)
    passed = all(one.passed and not (strict and one.findings) for one in made)
    data: dict[str, Any] = {
        "passed": passed,
        "dry_run": dry_run,
        "packs": [_data(one, strict) for one in made],
        "wheel": None,
        "to": None if built.to is None else without_credentials(str(built.to)),
        "next": [],
    }
    findings = tuple(finding for one in made for finding in one.findings)
    if passed and not dry_run:
        for one, shown_as in zip(made, data["packs"], strict=True):
            shown_as["written"] = _write(one)
        _build(made, data, built)
        data["next"] = _next(made, tag=built.tag)
    return Released(data, counted(len(made), "pack"), release_document, "packs", findings=findings)


def _check_together(paths: Sequence[Path], built: _Built, *, raises: bool) -> None:
    """Refuse what has no effect, or can't be done at once."""
    if not paths:
        raise InputError("name the packs to release")
    if built.tag and raises:
        raise InputError("--raise changes the file, which is committed before a tag is made: leave one of them out")
    if built.wheel is None and (built.distribution is not None or built.earlier):
        what = "--distribution" if built.distribution is not None else "--earlier"
        raise InputError(f"{what} is for a wheel: add --wheel DIR")
    if built.wheel is not None and built.distribution is None and len(paths) > 1:
        raise InputError("a wheel of several packs has a name and a version of its own: --distribution acme-packs==1.0")


def _day(given: str | None) -> str:
    """The day of an entry.

    Raises:
        InputError: when it is none.
    """
    if given is not None:
        try:
            return date.fromisoformat(given).isoformat()
        except ValueError:
            raise InputError(f"{shown(given)} is no day; write it as 2026-11-22") from None
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(epoch), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise InputError(f"SOURCE_DATE_EPOCH is {shown(epoch)}; it is a number of seconds since 1970") from None


def _data(one: PreparedRelease, strict: bool) -> dict[str, Any]:
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
        "findings": [_finding(finding) for finding in one.findings],
        "written": [],
    }


def _finding(found: Diagnostic) -> dict[str, Any]:
    place = None if found.span is None else str(found.span)
    return {"id": found.id, "severity": found.severity, "message": found.message, "place": place}


def _write(one: PreparedRelease) -> list[str]:
    """Write the version and the changelog; gives what was written, a line each."""
    written = []
    if one.text != one.before:
        write_file(one.path, one.text, newline="")
        written.append(f"version {one.pack.version} in {one.path}")
    if one.log_after != one.log_before:
        write_file(one.log, one.log_after, newline="")
        written.append(f"the entry of {one.pack.version} in {one.log}")
    return written


def _build(made: Sequence[PreparedRelease], data: dict[str, Any], built: _Built) -> None:
    """Build what was asked for; what others see comes last."""
    from scoring.sharing.release.preparing import packed

    if built.wheel is not None or built.to is not None:
        whole = [packed(one) for one in made]
        if built.wheel is not None:
            found = [*(_earlier(made) if built.earlier else ()), *whole]
            data["wheel"] = _wheel(found, made, Path(built.wheel), built.distribution)
        if built.to is not None:
            from scoring.sharing.release.publishing import published

            data["published"] = published(whole, str(built.to))
    for one, shown_as in zip(made, data["packs"], strict=True):
        message = f"{one.pack.name} {one.pack.version}\n\n{one.entry()}\n"
        if built.tag and one.repository is not None and one.repository.tag(one.tag, message):
            shown_as["written"].append(f"the tag {one.tag}")


def _earlier(made: Sequence[PreparedRelease]) -> list[PackedRelease]:
    """The earlier releases of packs that their repositories have tags of, oldest first."""
    from scoring.sharing.release.earlier import tagged
    from scoring.sharing.release.preparing import packed_earlier

    found = []
    for one in made:
        if one.repository is not None:
            known = [*tagged(one.repository, one.pack.name, one.path.parent)]
            found += [packed_earlier(other) for other in reversed(known) if other.version != one.pack.version]
    return found


def _wheel(
    releases: Sequence[PackedRelease], made: Sequence[PreparedRelease], folder: Path, distribution: str | None
) -> str:
    """Write a wheel; one of this name with other content is never replaced."""
    from scoring.data.output import FOLDER_MODE
    from scoring.data.refused import refused
    from scoring.sharing.release.wheel import wheel_of

    own = made[0].pack
    said = _DISTRIBUTION.fullmatch(own.name.replace("/", "-") if distribution is None else distribution)
    if said is None or (said[2] is None and len(made) > 1):
        raise InputError(f"{shown(distribution or own.name)} is no distribution; write it as acme-metrics==1.2.0")
    wheel = wheel_of(releases, said[1], said[2] or own.version)
    path = folder / wheel.filename
    try:
        folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
        if path.exists() and path.read_bytes() != wheel.content:
            raise InputError(f"{path} is there with other content; a release is never changed: raise the version")
    except OSError as error:
        raise InputError(f"can't write {path}: {refused(error)}") from error
    from scoring.data.output import write_file as write_bytes

    write_bytes(path, wheel.content)
    return str(path)


def _next(made: Sequence[PreparedRelease], *, tag: bool) -> list[str]:
    """What is left to do, as commands."""
    if tag:
        return [f"git push {one.repository.remote()} {one.tag}" for one in made if one.repository is not None]
    changed = [
        str(path)
        for one in made
        for path, is_new in ((one.path, one.text != one.before), (one.log, one.log_after != one.log_before))
        if is_new
    ]
    if changed and all(one.repository is not None for one in made):
        names = " ".join(str(one.path) for one in made)
        return [f"git add {' '.join(dict.fromkeys(changed))}; git commit; scoring release {names} --tag"]
    return []
