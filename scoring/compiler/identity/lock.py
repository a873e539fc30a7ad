"""Lock files: the meaning of a spec, and of every pack that it imports, pinned by digest.

`task.yaml` is pinned by `task.lock.json` beside it, or by the lock of its project; if there is one, it must be obeyed.
A range such as `house@1` may find a newer pack tomorrow, a file beside the spec may be edited, and a new release of a
package may score differently; with the lock, a run refuses to compute numbers that mean something else. Changes that
move no number, such as those of documentation, do not affect the lock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from scoring.compiler.identity.signature import Recipe
from scoring.data.json_read import parse
from scoring.data.plain_files import read_plain, real_path
from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.load import Loaded, Loader
from scoring.format.packs import packs_of
from scoring.project.find import LOCK_FILE, LOCK_SUFFIX
from scoring.project.project import Project
from scoring.project.versions import is_version
from scoring.version import DISTRIBUTION, VERSION

# Locks of format 1 pin the packs alone.
FORMAT = 2
FORMATS = (1, FORMAT)


class Pin(Struct, frozen=True):
    """The version and the digest of a pack in a lock."""

    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.version} ({self.digest[:8]})"


class Lock(Struct, frozen=True):
    """The content of a lock file: every pack that the spec imports, directly or not, with the digest of its meaning.

    ``reads`` has the paths at which the data have the spec's inputs; ``read_by`` has the limits and format settings of
    reading that differ from the defaults. ``env`` has the versions it was locked with, for information only;
    ``primitives`` has the revision and release of each primitive that is used. ``meaning`` is "" in old locks.
    """

    packs: Mapping[str, Pin]
    meaning: str = ""
    env: str = ""
    primitives: Mapping[str, str] = field(default_factory=dict)
    reads: Mapping[str, str] = field(default_factory=dict)
    read_by: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, recipe: Recipe) -> Lock:
        """Return a new lock of a compiled spec, given its recipe: what its signature is made of before a run."""
        packs = {name: Pin(version, digest) for name, (version, digest) in sorted(recipe.packs.items())}
        primitives = {one.name: f"revision {one.revision} of {one.release}" for one in recipe.primitives}
        return cls(packs, recipe.digest, recipe.signature().env, primitives, recipe.reads, recipe.read_by())

    def data(self, name: str) -> dict[str, Any]:
        """Return the content of the lock of the spec ``name`` as plain data, as it is also stored in the lock of a
        project."""
        pins = {pack: {"version": pin.version, "digest": pin.digest} for pack, pin in sorted(self.packs.items())}
        return {
            "format": FORMAT,
            "spec": name,
            "meaning": self.meaning,
            "reads": dict(sorted(self.reads.items())),
            **({"read_by": {name: list(values) for name, values in self.read_by.items()}} if self.read_by else {}),
            "env": self.env,
            "packs": pins,
            "primitives": dict(sorted(self.primitives.items())),
        }

    @classmethod
    def of_data(cls, data: Any) -> Lock:
        """Return the lock in plain data, as returned by `Lock.data`.

        Raises:
            ValueError, KeyError, TypeError, AttributeError: when the data are not those of a lock.
        """
        if data["format"] not in FORMATS:
            raise ValueError(f"format {data['format']!r:.40} is unknown")
        pins = {str(name): _pin(pin) for name, pin in data["packs"].items()}
        primitives = {str(name): str(how) for name, how in data.get("primitives", {}).items()}
        reads = {str(name): str(path) for name, path in data.get("reads", {}).items()}
        read_by = {str(name): [str(one) for one in values] for name, values in data.get("read_by", {}).items()}
        return cls(pins, str(data.get("meaning", "")), str(data.get("env", "")), primitives, reads, read_by)


def lock_path(spec: Path) -> Path:
    """Return the path of the lock file of a spec.

    Examples:
        >>> lock_path(Path("specs/invoices.yaml")).name
        'invoices.lock.json'
    """
    return spec.with_suffix(LOCK_SUFFIX)


def read_lock(spec: Path, span: Span | None = None) -> Lock:
    """Return the lock in the lock file of a spec; ``span`` is the location of errors.

    Raises:
        SpecError: when there is no lock, or it can't be read.
    """
    path = lock_path(spec)
    again = f"scoring lock {spec}"
    if not path.is_file():
        raise SpecError.of("lock-mismatch", f"{spec.name} has no lock file", span, help=f"`{again}` writes {path.name}")
    try:
        return Lock.of_data(parse(read_plain(path, MOST_BYTES)))
    except _NO_LOCK as error:
        raise _unreadable(path.name, error, again, span) from None


def pinned_in(project: Project, spec: Path, span: Span | None = None) -> Lock | None:
    """Return the lock of a spec in the lock of its project, None if there is none; ``span`` is the location of errors.

    Raises:
        SpecError: when the project's lock can't be read.
    """
    name = spec_in(project, spec)
    entry = None if project.lock is None or name is None else project.lock.specs.get(name)
    try:
        return None if entry is None else Lock.of_data(entry)
    except _NO_LOCK as error:
        raise _unreadable(f"{LOCK_FILE}, of {name},", error, f"scoring lock {spec}", span) from None


def spec_in(project: Project, spec: Path) -> str | None:
    """Return the name of a spec in the lock of a project: its path relative to the project's folder; None if it is
    outside."""
    path = real_path(spec)
    return path.relative_to(project.root).as_posix() if path.is_relative_to(project.root) else None


MOST_BYTES = 16_000_000
"""The most bytes of a lock file next to a spec."""
_NO_LOCK = (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError)


def _unreadable(name: str, error: Exception, again: str, span: Span | None) -> SpecError:
    why = f"{error!r:.100}"
    if isinstance(error, KeyError):
        why = f"it has no {error}"
    elif isinstance(error, TypeError | AttributeError | RecursionError):
        why = "it is not written as one"
    return SpecError.of("lock-mismatch", f"{name} is no lock file: {why}", span, help=f"write it anew with `{again}`")


def _pin(entry: Mapping[str, Any]) -> Pin:
    version = entry["version"]
    if not isinstance(version, str) or not is_version(version):
        raise ValueError(f"{version!r:.40} is no version")
    return Pin(version, str(entry["digest"]))


def lock_findings(loaded: Loaded, loader: Loader, locked: Lock, now: Lock) -> Iterator[Diagnostic]:
    """Yield a finding for each difference between the lock of a spec (``locked``) and a new one (``now``): in packs, in
    the meaning, or in paths and limits of reading."""
    packs = list(_pack_findings(loaded, loader, locked.packs, now.packs))
    yield from packs
    means_otherwise = locked.meaning not in ("", now.meaning)
    if not packs and not means_otherwise and locked.meaning:
        yield from read_findings(loaded.spec.span, loaded.spec.name, locked, now, "limits")
    if not packs and (means_otherwise or (locked.meaning and locked.reads != now.reads)):
        does = "means something else" if means_otherwise else "reads something else of a record"
        yield diagnostic(
            "error",
            "lock-mismatch",
            f"`{loaded.spec.name}` {does} than when it was locked",
            loaded.spec.span,
            help="bring back what was locked, or accept the change with `scoring lock`",
            note=_why(locked, now),
        )


def read_findings(span: Span | None, name: str, locked: Lock, now: Lock, how: str) -> Iterator[Diagnostic]:
    """Yield a finding at ``span`` if the settings ``how`` for reading data ("limits", or "format" for those of the data
    format) differ between the lock of the spec ``name`` (``locked``) and a new one (``now``)."""
    before, here = (", ".join(lock.read_by.get(how, ())) for lock in (locked, now))
    if before == here:
        return
    what, undo, again = _READ_BY[how]
    readings = [f"`{one}`" if one else "as usual" for one in (here, before)]
    yield diagnostic(
        "error",
        "lock-mismatch",
        f"{what} {readings[0]}, and the lock of `{name}` says {readings[1]}: other records may come of the same file",
        span,
        help=f"{undo}, or accept the change with `scoring lock SPEC{again}`",
    )


# What it is, how it becomes as it was locked, and how else it is locked.
_READ_BY = {
    "limits": ("the bounds on data (SCORING_LIMITS) are", "set SCORING_LIMITS as it was", ""),
    "format": ("the settings of the data's format are", "leave out or write the settings", " --input-format FORMAT"),
}


def _why(locked: Lock, now: Lock) -> str:
    """Return what caused two locks to differ, as text: a changed primitive, a changed meaning, or a changed path."""
    for name, how in now.primitives.items():
        before = locked.primitives.get(name, how)
        if before != how and (not how.endswith(_OWN) or before.split()[1] != how.split()[1]):
            return f"`{name}` is {how}, the lock says {before}"
    if locked.meaning != now.meaning:
        return f"it means {now.meaning[:8]}, the lock says {locked.meaning[:8]}"
    name = min(one for one in {*locked.reads, *now.reads} if locked.reads.get(one) != now.reads.get(one))
    here, there = (lock.reads.get(name, name.rpartition(".")[2]) for lock in (now, locked))
    return f"`{name}` is read at `{here}`, the lock says `{there}`"


# Another release of ours moves a meaning by its revisions alone.
_OWN = f" of {DISTRIBUTION}@{VERSION}"


def _pack_findings(
    loaded: Loaded, loader: Loader, pins: Mapping[str, Pin], packs: Mapping[str, Pin]
) -> Iterator[Diagnostic]:
    spans = {packs_of(loader).imported(entry, loaded.folder).spec.name: entry.span for entry in loaded.spec.imports}
    for name in sorted(pins.keys() | packs.keys()):
        before, now = pins.get(name), packs.get(name)
        if before == now:
            continue
        if now is None:
            message = f"the lock pins `{name}`, which is no longer imported"
        elif before is None:
            message = f"`{name}` is imported, but not in the lock"
        else:
            message = f"`{name}` is {now}, the lock says {before}"
        yield diagnostic(
            "error",
            "lock-mismatch",
            message,
            spans.get(name, loaded.spec.span),
            help="bring the locked pack back, or accept the change with `scoring lock`",
        )
