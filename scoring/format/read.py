"""Read spec files, as YAML or JSON depending on the file name."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from scoring.data.plain_files import open_readable, read_stream
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Source
from scoring.format.limits import DATA_APART, LIMITS, STARTER
from scoring.format.nodes import SpecNode
from scoring.project.find import SPEC_FILES

_MOST_BYTES_A_CHARACTER = 4
_MOST_SIBLINGS = 1_000


def read_file(path: Path, name: str | None = None) -> SpecNode:
    """Return the root node of a spec file, read as JSON (`.json`) or else as YAML; messages call it `name`.

    Raises:
        SpecError: no-such-file, not-utf-8, too-large, and the errors of the readers.
    """
    return _read(read_source(path, name), path.suffix.lower() == ".json")


def read_source(path: Path, name: str | None = None) -> Source:
    """Return the text of a spec file, without reading more of it than the size limit; messages call it `name`.

    Raises:
        SpecError: no-such-file, not-utf-8, too-large; wrong-kind, for a file of records.
    """
    name = str(path) if name is None else name
    # A file with the suffix of specs is not checked, so that no readers of rows are imported for it.
    if path.suffix.lower() not in SPEC_FILES and _holds_rows(path):
        raise SpecError.of(
            "wrong-kind",
            f"`{name}` holds records, but a spec is expected",
            help=[
                f"`scoring score SPEC {name}` scores them",
                "`scoring new task task.yaml` writes a spec to start with",
            ],
        )
    most = LIMITS.size * _MOST_BYTES_A_CHARACTER
    try:
        with open_readable(path) as file:
            content = read_stream(file, name, most + 1)
    except (OSError, ValueError) as error:  # a zero byte in a path is a ValueError
        reason = getattr(error, "strerror", None) or str(error)
        message = f"`{name}` can't be read: {reason[:1].lower()}{reason[1:]}"
        raise SpecError.of("no-such-file", message, help=_way_on(path)) from None
    if len(content) > most:
        message = f"`{name}` has more than {most:,} bytes, the most a spec may have"
        raise SpecError.of("too-large", message, note=DATA_APART)
    return Source(name, _decoded(content, name))


def _holds_rows(path: Path) -> bool:
    from scoring.data.file_format import holds_rows

    return holds_rows(str(path)) and path.is_file()


def _way_on(path: Path) -> str:
    """Return the help text for a path that can't be read."""
    if path.is_dir():
        return "name a file in it"
    similar = similar_file(path)
    return f"did you mean `{similar}`?" if similar else STARTER


def similar_file(path: Path) -> Path | None:
    """Return the file in the same folder that was most likely meant by a missing one, None if there is none."""
    from scoring.diagnostics.suggest import nearest

    try:
        siblings = [found.name for found in islice(path.parent.iterdir(), _MOST_SIBLINGS)]
    except (OSError, ValueError):
        siblings = []
    similar = nearest(path.name, siblings)
    return path.with_name(similar) if similar else None


def read_text(text: str, name: str) -> SpecNode:
    """Return the root node of a text, read like the content of a file with the name `name`."""
    return _read(Source(name, text), name.lower().endswith(".json"))


def read_bytes(data: bytes, name: str, *, is_json: bool) -> SpecNode:
    """Return the root node of a spec in bytes that are not a local file, such as one in an archive.

    Raises:
        SpecError: not-utf-8, too-large, and the errors of the readers.
    """
    return _read(Source(name, _decoded(data, name)), is_json)


def _read(source: Source, is_json: bool) -> SpecNode:
    if is_json:
        from scoring.format.read_json import read_json

        return read_json(source)
    from scoring.format.read_yaml import read_yaml

    return read_yaml(source)


def _decoded(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        # Show the location in the part that could be decoded.
        before = content[: error.start].decode("utf-8")
        source = Source(name, before + "\ufffd")
        hint = "UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "another encoding"
        raise SpecError.of(
            "not-utf-8",
            "the file is not UTF-8",
            source.span(len(before), len(before) + 1),
            f"the byte 0x{content[error.start]:02x} does not begin a character",
            help=f"it may be {hint}; save it as UTF-8",
        ) from None
