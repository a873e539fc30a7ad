"""The file `versions.json`, which lists the releases in a folder at an address, and the digest of each of their files.


```json
{"format": 1,
 "packs": {"close": {"1.0.0": {"entry": "close/1.0.0/pack.yaml",
                               "files": {"close/1.0.0/pack.yaml": "sha256 of its bytes, in 64 hexadecimal digits"}}}}}
```

Paths are relative to the folder of the file. A release may contain a ``scoring.toml``, which names the sources of the
packs that it imports by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from scoring.data.json_read import NotJson, check_value_count, parse
from scoring.data.relative import path_fault
from scoring.diagnostics.words import listed, shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.limits import MOST_OF_A_PACK, MOST_RELEASES
from scoring.extensions.sharing.twins import twins
from scoring.project.store import is_digest
from scoring.project.versions import is_version, parse_version

NAME = "versions.json"
FORMAT = 1
_LEVELS = 8


class ListedRelease(Struct, frozen=True):
    """A listed release of a pack: the path of the pack's file, and the digest of each file by path."""

    entry: str
    files: Mapping[str, str]


ListedReleases = Mapping[str, Mapping[str, ListedRelease]]
"""The releases by the name of their pack and by version."""


def versions_text(packs: ListedReleases) -> str:
    """Return the text of a `versions.json` with the given releases, a line for each, so that diffs show what changed.

    Examples:
        >>> release = ListedRelease("close/1.0.0/pack.yaml", {"close/1.0.0/pack.yaml": "0" * 64})
        >>> read_versions(versions_text({"close": {"1.0.0": release}}).encode(), "here")["close"]["1.0.0"] == release
        True
    """
    lines = []
    for name, releases in sorted(packs.items()):
        rows = [
            f"      {json.dumps(version)}: "
            + json.dumps({"entry": release.entry, "files": dict(sorted(release.files.items()))}, ensure_ascii=False)
            for version, release in sorted(releases.items(), key=lambda one: parse_version(one[0]))
        ]
        lines.append(f"    {json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n    }")
    return f'{{\n  "format": {FORMAT},\n  "packs": {{\n' + ",\n".join(lines) + "\n  }\n}\n"


def read_versions(content: bytes, where: str) -> ListedReleases:
    """Return the releases that the content of a `versions.json` lists, by name of the pack and version.

    Args:
        content: The bytes of the file.
        where: The name of the file in messages.

    Raises:
        InputError: when the content is not such a list, or a listed release is invalid.
    """
    try:
        check_value_count(content, 20 * MOST_RELEASES * 10)
        data = parse(content, once=True, levels=_LEVELS)
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']!r:.20} is unknown; it needs a newer scoring")
        packs = {str(name): dict(releases) for name, releases in data["packs"].items()}
        if unknown := sorted(set(data) - {"format", "packs"}):
            raise ValueError(f"the key {shown(unknown[0])} is unknown")
        if sum(map(len, packs.values())) > MOST_RELEASES:
            raise ValueError(f"it lists more than {MOST_RELEASES:,} releases")
        return {
            name: {version: _release(version, one) for version, one in all_.items()} for name, all_ in packs.items()
        }
    except NotJson as error:
        raise InputError(f"{where} is not a list of releases: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        lacks = isinstance(error, KeyError)
        why = f"{shown(str(error.args[0]))} is missing" if lacks else "it has another form"
        raise InputError(f"{where} is not a list of releases: {why}") from None
    except ValueError as error:
        raise InputError(f"{where} can't be used: {error}") from None


def _release(version: str, data: Mapping[str, Any]) -> ListedRelease:
    entry, files = data["entry"], dict(data["files"])
    if not is_version(version):
        raise ValueError(f"{shown(version)} is not a version")
    if unknown := sorted(set(data) - {"entry", "files"}):
        raise ValueError(f"{version} has an unknown key {shown(unknown[0])}")
    if not isinstance(entry, str) or entry not in files:
        raise ValueError(f"{version} names the entry {shown(str(entry))}, which is not one of its files")
    if len(files) > MOST_OF_A_PACK + 1:
        raise ValueError(f"{version} has more than {MOST_OF_A_PACK} files")
    for path, digest in files.items():
        if fault := path_fault(path):
            raise ValueError(f"{version} lists {shown(path)}: {fault}")
        if not is_digest(digest):
            raise ValueError(f"{version} has no SHA-256 for {shown(path)}")
    if pair := twins(files):
        raise ValueError(f"{version} lists {listed(pair, 'and')}, which are one file on systems that ignore case")
    return ListedRelease(entry, files)
