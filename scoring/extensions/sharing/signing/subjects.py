"""Subjects of signatures and the location of these: releases of packs, folders of runs, bundles."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.bundle import unpacked_bundle
from scoring.engine.runs.folder import SIGNATURE
from scoring.engine.runs.read import StoredRun, read_run
from scoring.errors import InputError
from scoring.extensions.sharing.signing.check import check_release
from scoring.extensions.sharing.signing.envelope import BadSignature, Envelope, armoured
from scoring.extensions.sharing.signing.statement import SignedKind, Statement
from scoring.extensions.sharing.sources.content import packs_in, signature_name
from scoring.extensions.sharing.sources.folder import FolderTree, ShippedSource
from scoring.format.locate import bundled_packs
from scoring.project.file import ProjectFile, place_of
from scoring.project.find import PROJECT_FILE
from scoring.project.lock import LockedPack
from scoring.project.trust import TABLE


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject of a signature: the statement to sign, and the path of the signature."""

    statement: Statement
    place: Path


def subject_of_pack(path: Path) -> Subject:
    """Return the release that a pack's file is of: itself and what it imports by path.

    Raises:
        InputError: when it is no pack with a name and a version, or can't be shared.
    """
    place = Path(os.path.abspath(path))
    root = next(
        (one for one in place.parents if (one / ".git").exists() or (one / PROJECT_FILE).exists()), place.parent
    )
    if not place.is_file():
        raise InputError(f"there is no file {path}")
    (found,) = packs_in(FolderTree(root, str(path)), place.relative_to(root).as_posix())
    said = Statement("pack", found.name, found.version, found.content.digest)
    return Subject(said, path.parent / signature_name(found.name, found.version))


def release_digest(path: Path | None) -> str:
    """Return the digest of the release that a pack's file is of, as locks and signatures have it; "" where there is
    none."""
    try:
        return subject_of_pack(path).statement.digest if path is not None else ""
    except InputError:  # what it imports lies elsewhere, so it can't be released
        return ""


def locked_signature(content: bytes | None) -> str:
    """Return what a lock holds of the file of a signature: all of it on one line; of what is none, that it is
    damaged."""
    try:
        return Envelope.read(content).line if content is not None else ""
    except BadSignature:
        return "damaged"


def check_locked(packs: Iterable[LockedPack], file: ProjectFile) -> dict[tuple[str, str], str]:
    """Refuse packs that must be signed and are not signed by a trusted author; works offline.

    Returns:
        What the signatures say, by name and version; nothing of packs whose authors the project does not ask for.

    Raises:
        SpecError: not-trusted, with the first of them.
        InputError: when the extra `sign` is not installed, and signatures are wanted.
    """
    if file.trust is None:
        return {}
    told: dict[tuple[str, str], str] = {}
    span = place_of(file.source, (*file.below, TABLE))
    for one in packs:
        if _is_shipped(one):
            continue  # it comes with the program that would check it
        content = armoured(one.signature).encode() if one.signature else None
        said = Statement("pack", one.own_name, one.version, one.digest)
        found = check_release(content, said, file.trust, alias=one.name, span=span)
        if found is not None:
            told[one.name, one.version] = str(found)
    return told


def _is_shipped(pack: LockedPack) -> bool:
    """Tell whether a locked pack is, to the byte, one that comes with scoring: a lock may say so of anything."""
    if pack.where.kind != "here" or pack.own_name not in bundled_packs():
        return False
    offered = (one for one in ShippedSource(pack.own_name).releases() if one.version == pack.version)
    return any(one.content.digest == pack.digest for one in offered)


def subject_of_run(folder: Path) -> Subject:
    """Return a run's folder.

    Raises:
        InputError: when it holds no finished run, or one that is not as it was written.
    """
    stored = read_run(str(folder))
    return Subject(statement_of_run(stored), folder / SIGNATURE)


def statement_of_run(stored: StoredRun) -> Statement:
    """Return what a signature of a run says: of its manifest, which has the digest of every other file of it.

    Raises:
        InputError: when it is not as it was written.
    """
    if stored.broken:
        raise InputError(f"{stored.name} is not as it was written: {'; '.join(stored.broken)[:300]}")
    if not isinstance(stored.manifest.get("files"), Mapping):
        raise InputError(f"{stored.name} is a run of before manifests had the digests of all files; score it again")
    found = hashlib.sha256(dumps_pretty(stored.manifest).encode()).hexdigest()
    return _statement("run", stored.manifest, found, stored.name)


def subject_of_bundle(path: Path) -> Subject:
    """Return a bundle of a run; its content is looked at, so that nothing is signed which nobody could unpack.

    Raises:
        InputError: when it is none, or was changed.
    """
    sha256 = InputFile(str(path), kind="bundle").sha256()
    with unpacked_bundle(path) as (folder, _):
        manifest = read_run(str(folder / "run")).manifest
    return Subject(_statement("bundle", manifest, sha256, str(path)), bundle_signature(path))


def statement_of_bundle(path: str | Path, manifest: Mapping[str, Any]) -> Statement:
    """Return what a signature of a bundle says, of which the manifest was read.

    Raises:
        InputError: when it can't be read.
    """
    return _statement("bundle", manifest, InputFile(str(path), kind="bundle").sha256(), str(path))


def bundle_signature(path: Path) -> Path:
    """Return the path of a bundle's signature, next to the bundle."""
    return path.with_name(f"{path.name}.sig")


def _statement(kind: SignedKind, manifest: Mapping[str, Any], sha256: str, name: str) -> Statement:
    made = manifest.get("task") or manifest.get("suite") or {}
    try:
        return Statement(kind, str(made.get("name") or ""), str(made.get("version") or "0"), sha256)
    except ValueError as error:
        raise InputError(f"{name} can't be signed: {error}") from None
