"""A wheel of packs: files and an entry point for each pack, no code, and the same bytes whenever it is made.

Each pack has a folder with a folder for each version, so a wheel can contain several versions. Nothing is compressed,
because the output of a compression library depends on its release.

Source:
    https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

from __future__ import annotations

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from scoring.diagnostics.visible import visible
from scoring.diagnostics.words import shown
from scoring.errors import InputError
from scoring.extensions.sharing.sources.distribution import DISTRIBUTION_NAME
from scoring.format.locate import GROUP
from scoring.version import VERSION

# The earliest date that a zip file can contain.
_DAY = (1980, 1, 1, 0, 0, 0)
_ABOUT = f"Wheel-Version: 1.0\nGenerator: scoring ({VERSION})\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


class PackedRelease(Struct, frozen=True):
    """A release of a pack, to be put into a wheel or a store: its files by path, the path of the pack's own file
    (`entry`), its documentation (`doc`), and the Python distributions that it requires."""

    name: str
    version: str
    entry: str
    files: Mapping[str, bytes]
    doc: str = ""
    requires: tuple[str, ...] = ()


class Wheel(Struct, frozen=True):
    """A Python wheel: its file name and its bytes."""

    filename: str
    content: bytes


def wheel_of(releases: Sequence[PackedRelease], name: str, version: str) -> Wheel:
    """Return a Python wheel that contains some releases of packs, possibly several of one pack.

    Args:
        releases: The releases that the wheel contains.
        name: The name of the distribution, such as ``acme-metrics``.
        version: The version of the distribution; a semantic version is converted to Python's form (``2.0.0-rc.1`` to
            ``2.0.0rc1``).

    Raises:
        InputError: for an invalid name or version of a distribution, and for two packs that would share a folder.
    """
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    if not DISTRIBUTION_NAME.fullmatch(name):
        raise InputError(
            f"{shown(name)} is not the name of a Python distribution; use letters, digits, `-`, `_` and `.`"
        )
    try:
        number = str(Version(version))
    except InvalidVersion:
        message = f"{shown(version)} is not a version for a Python distribution; name one: `{name}==1.0`"
        raise InputError(message) from None
    stem = str(canonicalize_name(name)).replace("-", "_")
    top, info = f"{stem}_packs", f"{stem}-{number}.dist-info"
    folders = _folders(releases)
    files = {
        f"{top}/{folders[one.name]}/{one.version}/{path}": content
        for one in releases
        for path, content in one.files.items()
    }
    points = sorted({(one.name, f"{top}.{folders[one.name]}") for one in releases})
    about = {
        f"{info}/METADATA": _metadata(releases, name, number),
        f"{info}/WHEEL": _ABOUT,
        f"{info}/entry_points.txt": f"[{GROUP}]\n" + "".join(f"{point} = {value}\n" for point, value in points),
    }
    whole = {**dict(sorted(files.items())), **{path: text.encode() for path, text in about.items()}}
    whole[f"{info}/RECORD"] = _record(whole, f"{info}/RECORD").encode()
    return Wheel(f"{stem}-{number}-py3-none-any.whl", _zipped(whole))


def _folders(releases: Iterable[PackedRelease]) -> dict[str, str]:
    """Return the name of the folder in the wheel for each pack, by the pack's name: the name as a Python identifier."""
    found: dict[str, str] = {}
    for one in releases:
        folder = re.sub(r"\W", "_", one.name, flags=re.ASCII)
        folder = f"_{folder}" if folder[0].isdigit() else folder
        other = next((name for name, known in found.items() if known == folder and name != one.name), None)
        if other is not None:
            raise InputError(f"`{other}` and `{one.name}` would share the folder {folder}; put them in two wheels")
        found[one.name] = folder
    return found


def _metadata(releases: Sequence[PackedRelease], name: str, version: str) -> str:
    """Return the text of the wheel's METADATA file: a summary, the required distributions, and the packs with their
    versions."""
    names = list(dict.fromkeys(one.name for one in releases))
    only = releases[-1].doc if len(names) == 1 else ""
    summary = " ".join(visible(only.split("\n\n")[0]).split())[:500] or f"Packs of scoring: {', '.join(names)}"
    requires = dict.fromkeys(need for one in releases for need in one.requires)
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {summary}"]
    lines += [f"Requires-Dist: {visible(need)}" for need in requires]
    lines += ["Description-Content-Type: text/markdown", ""]
    lines.append("Packs of scoring definitions: data, no code. A spec imports them by name.\n")
    for one in releases:
        about = " ".join(visible(one.doc.split("\n\n")[0]).split())
        lines.append(f"- `{one.name}` {one.version}{f': {about}' if about else ''}")
    return "\n".join(lines) + "\n"


def _record(files: Mapping[str, bytes], own: str) -> str:
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        cell = '"' + path.replace('"', '""') + '"' if {",", '"'} & set(path) else path
        lines.append(f"{cell},sha256={digest},{len(content)}\n")
    return "".join(lines) + f"{own},,\n"


def _zipped(files: Mapping[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, _DAY)
            entry.create_system = 3  # Unix, wherever it is made
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()
