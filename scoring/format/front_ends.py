"""Front ends: task files in the form of others, read as native specs.

A front end is a plug-in of the group ``scoring.front_ends``: its entry point names a ``FrontEnd``. Those of other
packages are looked for only when a file without `kind` is none of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from scoring.diagnostics.source import Span
from scoring.format.nodes import SpecNode
from scoring.registry import plugins

GROUP = "scoring.front_ends"
EXPORTS = "scoring.exports"

# Where plug-ins are looked for: among our own, or among those of all packages.
Found: TypeAlias = Callable[[str], tuple[plugins.PlugIn, ...]]


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """A foreign form of task files, with its properties.

    Args:
        title: What messages call such a file, such as `house rubric.json`.
        lacks: What a file of another form lacks, such as `it has no rubric`.
        recognises: Whether a file is of this form; asked about mappings without `kind` only.
        convert: The same task as the nodes of a native spec, from the node, the task's name and the dialect.
        dialects: What its names may mean, each dialect with its description; the first is the default.
        file_name: What such files are called in a folder of tasks, each in a folder that is called as its task.
        spec_keys: Where the row of a table of tasks may hold such a file.
        shared_keys: What of such a row each record of its task gets, beside `context`.
        score_keys: What its own results of tasks call the score, beside `score`.
        attributes: By what a task can be broken down, read out of such a file as plain data.
        groups: The groups of a suite in its dialects, each with the attributes that its tasks have.

    Examples:
        >>> form = FrontEnd(
        ...     "house rubric.json",
        ...     "it has no `rubric`",
        ...     lambda node: "rubric" in node,
        ...     lambda node, name, dialect: node,
        ...     {"house": "as printed"},
        ...     file_name="rubric.json",
        ... )
        >>> form.dialect, form.task_name(Path("tasks/chess/rubric.json"))
        ('house', 'chess')
    """

    title: str
    lacks: str
    recognises: Callable[[SpecNode], bool]
    convert: Callable[[SpecNode, str, str], SpecNode]
    dialects: Mapping[str, str]
    file_name: str = ""
    spec_keys: tuple[str, ...] = ()
    shared_keys: tuple[str, ...] = ()
    score_keys: tuple[str, ...] = ()
    attributes: Callable[[Mapping[str, Any]], Mapping[str, Any]] = lambda data: {}
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def dialect(self) -> str:
        """The default dialect."""
        return next(iter(self.dialects))

    def task_name(self, path: Path) -> str:
        """Return the name of the task in a file: that of its folder where the file is called as all of them."""
        named_by_folder = path.stem == Path(self.file_name).stem and path.parent.name
        return path.parent.name if named_by_folder else path.stem

    def dialect_of(self, wanted: str | None) -> str:
        """Return the dialect to convert with; one that belongs to another front end is not meant for this one."""
        if wanted is None or (wanted not in self.dialects and wanted in dialects()):
            return self.dialect
        return wanted


def front_ends(found: Found = plugins.every) -> Iterator[FrontEnd]:
    """Yield the front ends there are, our own first."""
    for plugin in found(GROUP):
        yield plugin.load()


def front_end_of(node: SpecNode) -> FrontEnd | None:
    """Return the front end that reads a file, None for a native one."""
    if not node.is_mapping or "kind" in node:
        return None
    return next((form for form in front_ends() if form.recognises(node)), None)


def dialects(found: Found = plugins.every) -> dict[str, str]:
    """Return every dialect with its description, the default first."""
    return {name: f"{form.title}, {text}" for form in front_ends(found) for name, text in form.dialects.items()}


def layouts(found: Found) -> list[str]:
    """Return the layouts in which a suite's results can be written for others."""
    return [plugin.name for plugin in found(EXPORTS)]


def default_dialect() -> str | None:
    """Return the default dialect: the first of our own; None if no pack provides a front end.

    Examples:
        >>> default_dialect() in {*dialects(), None}
        True
    """
    first = next(front_ends(plugins.own), None)
    return None if first is None else first.dialect


def groups_in(dialect: str | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the groups of a suite that states none, which are those of its dialect."""
    return next((form.groups for form in front_ends() if dialect in form.dialects), {})


def written(data: Any, place: Span) -> SpecNode:
    """Return plain data, which may contain nodes, as nodes at one position of a file.

    What a front end writes has no place of its own: findings point at what it was made from.

    Examples:
        >>> from scoring.diagnostics.source import Source
        >>> written({"kind": "task"}, Source("a.json", "{}").span(0, 2))["kind"].value
        'task'
    """
    if isinstance(data, SpecNode):
        return data
    if isinstance(data, Mapping):
        return SpecNode({key: written(value, place) for key, value in data.items()}, place, place)
    if isinstance(data, list):
        return SpecNode([written(item, place) for item in data], place, place)
    return SpecNode(data, place, place, "folded")  # a style whose text is never looked for in the file


def listed(dialects_: Mapping[str, str]) -> str:
    """Dialects with their meaning, for descriptions.

    Examples:
        >>> listed({"house": "house rubric.json, as printed"})
        '`house` (house rubric.json, as printed)'
    """
    return ", ".join(f"`{name}` ({text})" for name, text in dialects_.items())
