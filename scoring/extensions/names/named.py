"""Locate shipped and installed tasks, and shipped suites, by name and version, such as ``squad@2``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.source import Span
from scoring.diagnostics.suggest import did_you_mean
from scoring.diagnostics.words import shown
from scoring.format.locate import pack_names
from scoring.format.shipped import data_folder
from scoring.lazy_pattern import lazy_pattern
from scoring.project.find import SPEC_FILES
from scoring.registry import plugins

GROUP = "scoring.tasks"
_NAME = lazy_pattern(r"(?P<name>[a-z0-9]+(?:-[a-z0-9]+)*)(?:@(?P<range>[^/\\]{1,100}))?")
_MAJOR = lazy_pattern(r"-\d+")
_STATED = lazy_pattern(r"(?m)^name: (.+)$"), lazy_pattern(r"(?m)^version: (\d+)")


def spec_path(text: str | Path, span: Span | None = None) -> Path:
    """Return the path of the spec that a text names: a path, or a shipped or installed task or suite such as `squad@2`.

    A file or folder of that name in the current folder takes precedence.

    Args:
        text: A path, or a name, optionally followed by `@` and a range of versions; without one, the newest is meant.
        span: The place of the text, if it stands in a spec.

    Raises:
        SpecError: when nothing has that name, or no version of it is in the range.

    Examples:
        >>> spec_path("squad@1").name, spec_path("squad").name, spec_path("mine/task.yaml").name
        ('squad-1.yaml', 'squad-2.yaml', 'task.yaml')
    """
    path, match = Path(text), _NAME.fullmatch(str(text))
    if match is None or path.exists():
        return path
    name, wanted = match["name"], match["range"] or ""
    found = task_files(name)
    if not found:
        if "@" not in str(text) and "." in str(text):  # the name of a file
            return path
        is_pack = "; a pack is, whose definitions a task imports" if name in pack_names() else ""
        raise SpecError.of(
            "no-such-file",
            f"there is no file {shown(str(text))}, and no task is called {shown(name)}{is_pack}",
            span,
            "" if is_pack else did_you_mean(name, task_names()),
            help="`scoring list tasks` shows the tasks that can be named; "
            "`scoring new task task.yaml` writes a spec to start with",
        )
    return found[0] if len(found) == 1 and not wanted else _newest(name, wanted, found, span)


def task_files(name: str) -> list[Path]:
    """Return the files of the tasks and suites with a name, one for each version: shipped ones, or else installed."""
    return [*_shipped(name)] or [one for one in _installed() if _head(one).get("name") == name]


def is_task_name(text: str) -> bool:
    """Return whether a text has the form of a task's name, with or without a range of versions, and is no file here."""
    return _NAME.fullmatch(text) is not None and not text.endswith(SPEC_FILES) and not Path(text).exists()


def task_names() -> list[str]:
    """Return the names of all shipped and installed tasks and suites.

    Examples:
        >>> {"squad", "wer"} <= {*task_names()}
        True
    """
    folder = data_folder("specs")
    shipped = {_MAJOR.sub("", path.stem) for path in (folder / "cookbook").glob("*.yaml")}
    joined = {path.parent.name for kind in plugins.OWN_KINDS for path in folder.glob(f"*/{kind}.yaml")}
    return sorted({*shipped, *joined, *(str(_head(path).get("name")) for path in _installed())})


def shipped_tasks() -> dict[str, Path]:
    """Return the files of the shipped tasks by name and major version, such as `squad@2`, in the order of the names."""
    paths = sorted((data_folder("specs") / "cookbook").glob("*.yaml"))
    return {stated_name(path.read_text(encoding="utf-8")): path for path in paths}


def installed_tasks() -> dict[str, dict[str, Any]]:
    """Return what the tasks of installed packages state, by name and version: doc, record and layouts as plain data."""
    found = (_head(path, ("name", "version", "doc", "record", "layouts")) for path in _installed())
    return {f"{one.get('name')}@{one.get('version', 0)}": one for one in found}


def stated_name(text: str) -> str:
    """Return the name and the major version that the text of a shipped task states, such as `squad@2`.

    Examples:
        >>> stated_name("kind: task\\nname: wer\\nversion: 1.0.2\\n")
        'wer@1'
    """
    name, major = (one[1] for key in _STATED if (one := key.search(text)) is not None)
    return f"{name}@{major}"


def _shipped(name: str) -> Iterator[Path]:
    """Yield the shipped files of a task or suite: of a task that has several, the file's name ends in the major."""
    folder = data_folder("specs")
    yield from (path for kind in plugins.OWN_KINDS if (path := folder / name / f"{kind}.yaml").is_file())
    for path in sorted((folder / "cookbook").glob(f"{name}*.yaml")):
        if path.stem == name or _MAJOR.fullmatch(path.stem[len(name) :]):
            yield path


def _installed() -> Iterator[Path]:
    """Yield the task files of installed packages, from the folders that their entry points of our group name."""
    for entry in plugins.others(GROUP):
        folder = plugins.folder_of(entry)
        for path in sorted(folder.rglob("*")) if folder is not None else ():
            if path.suffix in SPEC_FILES and path.is_file() and _head(path).get("kind") == "task":
                yield path


def _head(path: Path, keys: Sequence[str] = ("kind", "name", "version")) -> dict[str, Any]:
    """Return the values of the `keys` that a spec states, as plain data; {} for a file that can't be read."""
    from scoring.format.read import read_file

    try:
        node = read_file(path)
    except SpecError:  # the error is reported when it is loaded by its path
        return {}
    return {key: node[key].plain() for key in keys if key in node}


def _newest(name: str, wanted: str, found: list[Path], span: Span | None) -> Path:
    from scoring.project.versions import is_range, parse_version, satisfies

    if wanted and not is_range(wanted):
        message = f"{shown(wanted)} is not a version or a range of versions"
        raise SpecError.of("import-version", message, span, help=f"write `{name}@1`, or `{name}@>=1.2,<2`")
    versions = {path: str(_head(path).get("version", "")) for path in found}
    fitting = [path for path in found if not wanted or satisfies(versions[path], wanted)]
    if not fitting:
        help_text = f"versions here: {', '.join(versions.values())}"
        raise SpecError.of("import-version", f"`{name}` has no version that fits {shown(wanted)}", span, help=help_text)
    return max(fitting, key=lambda path: parse_version(versions[path]))
