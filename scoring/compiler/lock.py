"""Lock files: every pack that a spec imports, pinned by the digest of what it says.

`task.yaml` is pinned by `task.lock.json` beside it. A range such as `megabench@1` may find a newer pack tomorrow, and a
file beside the spec may be edited; with the lock, a run refuses to give numbers that mean something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scoring.compiler.link import Linker
from scoring.compiler.messages import Findings
from scoring.diagnostics.diagnostic import Diagnostic, SpecError, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.load import Loaded, Loader

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Pin:
    """A pack as a lock holds it."""

    version: str
    digest: str

    def __str__(self) -> str:
        return f"{self.version} ({self.digest[:8]})"


def lock_path(spec: Path) -> Path:
    """Where the lock of a spec is.

    Examples:
        >>> lock_path(Path("specs/invoices.yaml")).name
        'invoices.lock.json'
    """
    return spec.with_suffix(".lock.json")


def imported_packs(loaded: Loaded, loader: Loader) -> dict[str, Pin]:
    """Every pack that a task or a pack imports, directly or through another one.

    Raises:
        SpecError: when an import can't be followed.
    """
    findings = Findings()
    packs = Linker(loader, findings).scope(loaded).packs()
    findings.diagnostics.raise_errors()
    return {name: Pin(pack.version, pack.digest) for name, pack in sorted(packs.items())}


def lock_text(name: str, packs: Mapping[str, Pin]) -> str:
    """The content of a lock file."""
    pins = {pack: {"version": pin.version, "digest": pin.digest} for pack, pin in sorted(packs.items())}
    return json.dumps({"format": FORMAT, "spec": name, "packs": pins}, indent=2, ensure_ascii=False) + "\n"


def read_lock(spec: Path, span: Span | None = None) -> dict[str, Pin]:
    """The pins of a spec.

    Args:
        spec: The spec's file.
        span: Where its name stands, for findings.

    Raises:
        SpecError: when there is no lock, or it can't be read.
    """
    path = lock_path(spec)
    again = f"scoring lock {spec}"
    if not path.is_file():
        raise SpecError.of("lock-mismatch", f"{spec.name} has no lock file", span, help=f"`{again}` writes {path.name}")
    try:
        data = json.loads(path.read_text("utf-8"))
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r} is unknown")
        return {str(name): Pin(str(pin["version"]), str(pin["digest"])) for name, pin in data["packs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SpecError.of(
            "lock-mismatch", f"{path.name} is no lock file: {error!r:.100}", span, help=f"write it anew with `{again}`"
        ) from None


def lock_findings(
    loaded: Loaded, loader: Loader, pins: Mapping[str, Pin], packs: Mapping[str, Pin]
) -> Iterator[Diagnostic]:
    """What differs between a lock and the packs that a spec imports now.

    Args:
        loaded: The spec.
        loader: What loads its imports, to tell where each is written.
        pins: What its lock holds.
        packs: What it imports.
    """
    places = {loader.imported(entry, loaded.folder).spec.name: entry.span for entry in loaded.spec.imports}
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
            places.get(name, loaded.spec.span),
            help="bring the locked pack back, or accept the change with `scoring lock`",
        )
