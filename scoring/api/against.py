"""A spec held against another version of it: which part of the version must be raised, and whether it is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scoring.api.sides import diff_side
from scoring.data.rows.row import InputError
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.format.load import Loader
from scoring.format.model import Pack
from scoring.sharing.release.editions import Edition
from scoring.sharing.release.judging import Effort, judged
from scoring.sharing.release.repository import PackRepository

if TYPE_CHECKING:
    from scoring.sharing.release.judgement import ReleaseJudgement

MOST = 100_000
"""So many records of an author are tried."""


def held_against(
    files: Sequence[Path],
    old: str | Path | Mapping[str, Any],
    loader: Loader,
    accept: Mapping[str, str],
    data: str | Path | None,
) -> tuple[ReleaseJudgement, list[Diagnostic]]:
    """What a spec needs that follows another version of it, and the finding where it raises less.

    Args:
        files: The spec's file: one alone.
        old: The other version: a file, `name@version`, an address, `REV:path`, or a spec as data.
        loader: What loaded the spec.
        accept: Definitions whose programs differ and of which no input was found that moves, with the reason why none
            does.
        data: Inputs to try, too.

    Raises:
        InputError: when there is no such version, several files are named, or what is accepted needs no acceptance.
        SpecError: when one of them is broken.
    """
    from scoring.sharing.release.judgement import check_accepted
    from scoring.sharing.release.preparing import version_finding

    if len(files) != 1:
        raise InputError(f"--against holds one spec against another version of it, and here are {len(files)}: name one")
    with ExitStack() as stack:
        before = diff_side(_there(old, files[0]), stack, loader.dialect)
        new = Edition(loader.file(files[0], str(files[0])), loader)
        records = () if data is None else tuple(_records(data, isinstance(new.loaded.spec, Pack)))
        found = judged(Edition(before.loaded, before.loader), new, Effort(accepted=accept, records=records))
    check_accepted(accept, [found])
    findings = [] if found.suffices else [version_finding(found, new.loaded.spec, before.shown)]
    return found, findings


def _there(old: str | Path | Mapping[str, Any], file: Path) -> str | Path | Mapping[str, Any]:
    """A tag or a commit alone means the file there, as it does for `scoring release`."""
    if not isinstance(old, str) or ":" in old or "@" in old or Path(old).exists():
        return old
    repository = PackRepository.of(file)
    at = repository is not None and repository.commit(old)
    return f"{old}:./{Path(os.path.relpath(file)).as_posix()}" if at else old


def _records(data: str | Path, is_pack: bool) -> list[dict[str, Any]]:
    """Records to try, at most so many; those of a pack have the keys of an example.

    Raises:
        InputError: when they can't be read, or are too many.
    """
    from scoring.api.sources import source
    from scoring.data.rows.read import read_rows

    file = source(data)
    if isinstance(file, Path):
        raise InputError(f"{data} is a folder; --data is a file of records")
    rows = [dict(row.record) for row in islice(read_rows(file), MOST + 1) if row.record is not None]
    if len(rows) > MOST:
        raise InputError(f"{data} has more than {MOST:,} records; give a part of it, as --data is tried whole")
    if not is_pack:
        return rows
    kept = [{"prediction": row.get("prediction", row.get("response")), **row} for row in rows]
    if kept and not any("prediction" in row or "response" in row for row in rows):
        raise InputError(f"{data}: no record has a `prediction`; a pack is tried on `prediction` and `reference`")
    known = ("prediction", "reference", "context", "record")
    return [{key: value for key, value in row.items() if key in known} for row in kept]
