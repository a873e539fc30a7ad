"""The targets that can be signed, and the paths of their signatures: releases of packs, run folders and bundles."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from scoring.data.file import InputFile
from scoring.data.json_write import dumps_pretty
from scoring.engine.runs.folder import SIGNATURE
from scoring.errors import InputError
from scoring.extensions.sharing.signing.check import check_release
from scoring.extensions.sharing.signing.envelope import BadSignature, Envelope, armoured
from scoring.extensions.sharing.signing.statement import SignedKind, Statement
from scoring.extensions.sharing.signing.trust import TABLE
from scoring.extensions.sharing.sources.content import find_releases_in_tree, signature_name
from scoring.extensions.sharing.sources.folder import FolderTree, ShippedSource
from scoring.extensions.verification.bundle import unpacked_bundle
from scoring.extensions.verification.read import StoredRun, read_run
from scoring.format.locate import bundled_packs
from scoring.project.file import ProjectFile, place_of
from scoring.project.find import PROJECT_FILE
from scoring.project.lock import LockedPack


class Subject(Struct, frozen=True):
    """A target that can be signed (a release, a run or a bundle), as the statement about it and the path of its
    signature file."""

    statement: Statement
    place: Path


def subject_of_pack(path: Path) -> Subject:
    """Return the release of a pack, which consists of its file and its imports by path, as a target to sign.

    Args:
        path: The pack's file.

    Raises:
        InputError: when the file is not a pack with a name and a version, or can't be shared.
    """
    place = Path(os.path.abspath(path))
    root = next(
        (one for one in place.parents if (one / ".git").exists() or (one / PROJECT_FILE).exists()), place.parent
    )
    if not place.is_file():
        raise InputError(f"there is no file {path}")
    (found,) = find_releases_in_tree(FolderTree(root, str(path)), place.relative_to(root).as_posix())
    said = Statement("pack", found.name, found.version, found.content.digest)
    return Subject(said, path.parent / signature_name(found.name, found.version))


def release_digest(path: Path | None) -> str:
    """Return the digest of the release of a pack, as locks and signatures contain it; "" if there is no file, or it
    can't be released.

    Args:
        path: The pack's file; None for a pack without one.
    """
    try:
        return subject_of_pack(path).statement.digest if path is not None else ""
    except InputError:  # it imports files outside of the repository, for example
        return ""


def locked_signature(content: bytes | None) -> str:
    """Return the content of a signature file as a lock contains it: the signature on one line, ``damaged`` for a file
    that is no signature, "" for None."""
    try:
        return Envelope.read(content).line if content is not None else ""
    except BadSignature:
        return "damaged"


def check_locked(packs: Iterable[LockedPack], file: ProjectFile) -> dict[tuple[str, str], str]:
    """Check the signatures of locked packs, and refuse a pack that the project requires to be signed by a trusted
    author and that is not.

    This does not access the network.

    Args:
        packs: The locked packs.
        file: The project file, which has the trust settings.

    Returns:
        The result of each checked signature in words, by name and version of the pack.

    Raises:
        SpecError: not-trusted, for the first pack that is refused.
        InputError: when there are signatures to check, and the extra `sign` is not installed.
    """
    if file.trust is None:
        return {}
    results: dict[tuple[str, str], str] = {}
    span = place_of(file.source, (*file.below, TABLE))
    for one in packs:
        if _is_shipped(one):
            continue  # it is part of this library
        content = armoured(one.signature).encode() if one.signature else None
        said = Statement("pack", one.own_name, one.version, one.digest)
        found = check_release(content, said, file.trust, alias=one.name, span=span)
        if found is not None:
            results[one.name, one.version] = str(found)
    return results


def _is_shipped(pack: LockedPack) -> bool:
    """Return True if a locked pack is identical to one shipped with this library, whatever the lock says about its
    source."""
    if pack.where.kind != "here" or pack.own_name not in bundled_packs():
        return False
    offered = (one for one in ShippedSource(pack.own_name).releases() if one.version == pack.version)
    return any(one.content.digest == pack.digest for one in offered)


def subject_of_run(folder: Path) -> Subject:
    """Return a finished run as a target to sign.

    Args:
        folder: The folder with the files of the run.

    Raises:
        InputError: when the folder contains no finished run, or files of the run were changed.
    """
    stored = read_run(str(folder))
    return Subject(statement_of_run(stored), folder / SIGNATURE)


def statement_of_run(stored: StoredRun) -> Statement:
    """Return the statement to sign about a finished run, with the digest of its manifest, which contains the digest of
    every other file.

    Raises:
        InputError: when files of the run were changed, or its manifest has no digests.
    """
    if stored.broken:
        raise InputError(f"{stored.name} is not as it was written: {'; '.join(stored.broken)[:300]}")
    if not isinstance(stored.manifest.get("files"), Mapping):
        raise InputError(f"{stored.name} is a run from before manifests had the digests of all files; score it again")
    found = hashlib.sha256(dumps_pretty(stored.manifest).encode()).hexdigest()
    return _statement("run", stored.manifest, found, stored.name)


def subject_of_bundle(path: Path) -> Subject:
    """Return a bundle of a finished run as a target to sign, after unpacking it to check that it is intact.

    Args:
        path: The bundle.

    Raises:
        InputError: when the file is not a bundle, or was changed.
    """
    sha256 = InputFile(str(path), kind="bundle").sha256()
    with unpacked_bundle(path) as (folder, _):
        manifest = read_run(str(folder / "run")).manifest
    return Subject(_statement("bundle", manifest, sha256, str(path)), bundle_signature(path))


def statement_of_bundle(path: str | Path, manifest: Mapping[str, Any]) -> Statement:
    """Return the statement to sign about a bundle, given its manifest, which was read before.

    Raises:
        InputError: when the bundle can't be read.
    """
    return _statement("bundle", manifest, InputFile(str(path), kind="bundle").sha256(), str(path))


def bundle_signature(path: Path) -> Path:
    """Return the path of a bundle's signature file, which is in the same folder.

    Args:
        path: The bundle.
    """
    return path.with_name(f"{path.name}.sig")


def _statement(kind: SignedKind, manifest: Mapping[str, Any], sha256: str, name: str) -> Statement:
    made = manifest.get("task") or manifest.get("suite") or {}
    try:
        return Statement(kind, str(made.get("name") or ""), str(made.get("version") or "0"), sha256)
    except ValueError as error:
        raise InputError(f"{name} can't be signed: {error}") from None
