"""File formats: their descriptions, how a file's format is recognized, and the registry of all formats.

All formats are entry points of `scoring.formats`, our own as well as those of other packages. The generated index has
the suffixes and the first bytes of our own, so that the module of a format is imported only when such a file is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct, field

from scoring.data.rows.row import Block, Row
from scoring.diagnostics.diagnostic import SpecError
from scoring.errors import InputError
from scoring.registry import plugins
from scoring.registry.extension import provided

Shape: TypeAlias = Literal["records", "cells", "columns", "fixed"]


class FileFormat(Struct, frozen=True):
    """A format of files that contain rows.

    A package adds one through the entry point group `scoring.formats`: the entry's name is the format's name, and its
    value is this object. Compression is not part of a format: every reader gets decompressed bytes.

    Args:
        name: The name for `--input-format` and the manifest.
        title: The name that messages use.
        suffixes: Endings of file names, with their dot, in lower case.
        rows: A function from an `InputFile` to its rows, good and bad, or to blocks of them; it raises InputError when
            the file as a whole is not of this format.
        begins: The possible first bytes of every such file; empty if there are none.
        settings: The settings that may follow the name, as in `csv,delimiter=tab`; the reader finds them in
            `file.settings`.
        needs: The module that is required for reading the format, and the distribution to install for it.
        cut: A function that cuts such a file into parts that can be read separately, in order; by default a file is
            read as a whole.
        usual: The default values of settings; other values can change a score, and are part of signatures. A setting
            whose default is detected in the file has no entry.
        plain: A function from the name and the value of a setting to the canonical spelling of the value.
        shape: Whether rows are records, each with its own keys, or all have the same keys: as cells of text, as typed
            columns, or fixed by the format.

    Examples:
        >>> log = FileFormat("log", "a log", (".log",), lambda file: (Row("line 1", {"text": file.name}) for _ in "1"))
        >>> log.ready()
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    rows: Callable[[Any], Iterator[Row] | Iterator[Block]]
    begins: tuple[bytes, ...] = ()
    settings: tuple[str, ...] = ()
    needs: tuple[str, str] | None = None
    cut: Callable[[Any, int], Iterator[Any]] | None = None
    shape: Shape = "records"
    usual: Mapping[str, str] = field(default_factory=dict)
    plain: Callable[[str, str], str] = lambda name, value: value

    def ready(self) -> None:
        """Check that the library that the format requires is installed.

        Raises:
            InputError: when it is not; the message names the distribution to install.
        """
        if self.needs is not None:
            require(self.title, *self.needs)


def require(title: str, module: str, distribution: str) -> Any:
    """Import and return a module that a feature requires.

    Args:
        title: The feature, as named in the message.
        module: The name of the module.
        distribution: The distribution to install for it.

    Raises:
        InputError: when the module is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise InputError(f"{title} needs {module}: pip install '{distribution}'") from error


GROUP = "scoring.formats"
#: Suffixes of compressed files.
PACKED = (".gz", ".zst")
#: The format of a file whose name does not match any.
DEFAULT = "jsonl"


@cache
def own_formats() -> dict[str, FileFormat]:
    """Return our own formats of rows by name, the default first, without those of extensions that are not installed."""
    plugs = [plugin for plugin in plugins.own(GROUP) if plugin.name in plugins.FORMATS]
    return {plugin.name: plugin.load() for plugin in sorted(plugs, key=lambda one: (one.name != DEFAULT, one.name))}


@cache
def plugged() -> dict[str, Any]:
    """Return the objects of the entry points of other packages in the group `scoring.formats`, by name.

    Raises:
        InputError: when one can't be loaded, has no name or another name than its entry point, or its name is taken.
    """
    found: dict[str, Any] = {}
    taken = {entry.name for entry in plugins.own(GROUP)}.union(plugins.FORMATS)
    for entry in plugins.others(GROUP):
        try:
            loaded = entry.load()
        except SpecError as error:
            raise InputError(error.diagnostics[0].message) from error
        if entry.name in found or entry.name in taken or getattr(loaded, "name", None) != entry.name:
            raise InputError(
                f"the format `{entry.name}` of {entry.distribution} has the name of another format, or none"
            )
        found[entry.name] = loaded
    return found


def installed() -> dict[str, FileFormat]:
    """Return the file formats of other packages by name.

    Raises:
        InputError: when one has the suffix of one of our own formats.
    """
    found = {name: form for name, form in plugged().items() if isinstance(form, FileFormat)}
    for form in found.values():
        taken = next(filter(None, map(_own_name, form.suffixes)), None)
        if taken is not None:
            raise InputError(f"the format `{form.name}` claims a suffix of `{taken}`: {', '.join(form.suffixes)}")
    return found


def _known_formats() -> dict[str, FileFormat]:
    """Return all formats of rows by name, our own first."""
    return {**own_formats(), **installed()}


def find_format(name: str) -> FileFormat:
    """Return the file format with a name.

    Raises:
        InputError: when there is none, or it is that of an extension that is not installed.
    """
    # Other packages are searched only for names that are not our own, so that a run starts quickly.
    if name in plugins.FORMATS:
        return _own_format(name, f"the format `{name}`")
    found = installed().get(name)
    if found is None:
        from scoring.diagnostics.suggest import nearest

        similar = nearest(
            name,
            _known_formats(),
            {"tab": "tsv", "tabs": "tsv", "ndjson": "jsonl", "txt": "lines", "text": "lines", "excel": "xlsx"},
        )
        write = f"write `--input-format {similar}`; " if similar else ""
        raise InputError(f"unknown kind of file `{name}`; {write}the known kinds are {', '.join(_known_formats())}")
    return found


def format_settings(kind: str) -> dict[str, str]:
    """Return the settings in the name of a format, such as `csv,delimiter=tab`, by their names.

    Examples:
        >>> format_settings("csv,delimiter=tab,empty=text")
        {'delimiter': 'tab', 'empty': 'text'}
    """
    return {key: value for key, _, value in (part.partition("=") for part in kind.split(",")[1:] if part)}


def other_settings(kind: str | None, references: str | None = None) -> list[str]:
    """Return the settings in a format's name that are not the default, and can change a score, as sorted `name=value`.

    Those in the name of the format of references follow, as `references.name=value`.

    Examples:
        >>> other_settings("csv,encoding=latin-1,empty=text"), other_settings("csv,empty=missing"), other_settings(None)
        (['empty=text', 'encoding=iso8859-1'], [], [])
        >>> other_settings(None, "csv,empty=text")
        ['references.empty=text']
    """
    return [*_other_settings(kind), *(f"references.{one}" for one in _other_settings(references))]


def _other_settings(kind: str | None) -> list[str]:
    settings = format_settings(kind or "")
    if not kind or not settings:
        return []
    found = find_format(kind.partition(",")[0])
    plain = {name: found.plain(name, value) for name, value in settings.items()}
    return sorted(f"{name}={value}" for name, value in plain.items() if found.usual.get(name) != value)


def format_of_suffix(file: str) -> FileFormat:
    """Return the format that matches a file's suffix, JSON Lines if none does.

    Raises:
        InputError: when two packages claim its suffix, or it is that of an extension that is not installed.

    Examples:
        >>> format_of_suffix("a.CSV.gz").name, format_of_suffix("answers").name
        ('csv', 'jsonl')
    """
    suffix = Path(unpacked_name(file)).suffix.lower()
    name = _own_name(suffix) if suffix else DEFAULT
    if name is not None:
        return _own_format(name, file)
    found = [form for form in installed().values() if suffix in form.suffixes]
    if len(found) > 1:
        names = " and ".join(f"`{form.name}`" for form in found)
        raise InputError(f"both {names} claim the suffix {suffix}; say which with `--input-format`")
    return found[0] if found else _own_format(DEFAULT, file)


def format_that_begins(head: bytes, file: str) -> FileFormat | None:
    """Return our own format whose files begin like the given bytes; None if there is none.

    Args:
        head: The first bytes of a file.
        file: The name of the file, for messages.

    Raises:
        InputError: when it is the format of an extension that is not installed.
    """
    for name, marks in plugins.FORMATS.items():
        if any(head.startswith(mark.encode("latin-1")) for mark in marks["begins"]):
            return _own_format(name, file)
    return None


def _own_name(suffix: str) -> str | None:
    """Return the name of our own format with a suffix, without importing any."""
    return next((name for name, marks in plugins.FORMATS.items() if suffix in marks["suffixes"]), None)


def _own_format(name: str, purpose: str) -> FileFormat:
    found: FileFormat = provided(GROUP, name, purpose)
    return found


def unpacked_name(file: str) -> str:
    """Return a file's name without the suffix of its compression.

    Examples:
        >>> unpacked_name("a.jsonl.zst"), unpacked_name("a.csv")
        ('a.jsonl', 'a.csv')
    """
    path = Path(file)
    return str(path.with_suffix("")) if path.suffix.lower() in PACKED else file


def suffixes() -> Iterator[str]:
    """Yield all suffixes of files of rows, with and without those of compression."""
    ours = (marks["suffixes"] for marks in plugins.FORMATS.values())
    for suffix in chain(*ours, *(form.suffixes for form in installed().values())):
        yield from (suffix, *(suffix + packed for packed in PACKED))


def holds_rows(file: str) -> bool:
    """Return whether a file's suffix alone shows that it contains rows; a JSON file may be a spec as well.

    Examples:
        >>> holds_rows("tasks.jsonl"), holds_rows("tasks.parquet"), holds_rows("suite.yaml"), holds_rows("task.json")
        (True, True, False, False)
    """
    suffix = Path(unpacked_name(file)).suffix.lower()
    return suffix != ".json" and _own_name(suffix) is not None
