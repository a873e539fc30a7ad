"""Front ends: task files of other tools, read as native specs.

A front end is a plug-in of the group ``scoring.front_ends``: the value of its entry point is a ``FrontEnd``. Those of
other packages are searched only if none of ours recognises a file without `kind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field

from scoring.diagnostics.diagnostic import Diagnostic
from scoring.diagnostics.source import Span
from scoring.format.nodes import SpecNode
from scoring.registry import plugins

GROUP = "scoring.front_ends"

# A function that returns the plug-ins of a group: our own, or those of all packages.
Found: TypeAlias = Callable[[str], tuple[plugins.PlugIn, ...]]


class FrontEnd(Struct, frozen=True):
    """A form of task files other than our own: how they are recognised, and how they are converted to specs.

    Args:
        title: The name of such a file in messages, such as `house rubric.json`.
        lacks: The reason why a file is not of this form, such as `it has no rubric`.
        recognises: Returns whether a file is of this form; called only for mappings without `kind`.
        convert: Returns the task as the nodes of a native spec, given the node, the task's name and the dialect.
        dialects: The dialects, which give names in its files a meaning, with descriptions; the first is the default.
        file_name: The name of such files in a folder of tasks, each in a subfolder with the name of its task.
        spec_keys: The keys of a row in a table of tasks that may contain such a file.
        shared_keys: The keys of such a row that are passed to each record of its task, in addition to `context`.
        score_keys: The keys of the score in its own task results, in addition to `score`.
        attributes: Returns the attributes of a task for breakdowns, given such a file as plain data.
        groups: The groups of a suite in its dialects, each with the attributes of its tasks.
        warn: Returns warnings of what such a file says without effect, given its node, since the spec does not say it.

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
    warn: Callable[[SpecNode], Iterable[Diagnostic]] = lambda node: ()

    @property
    def dialect(self) -> str:
        """The name of the default dialect, the first one."""
        return next(iter(self.dialects))

    def task_name(self, path: Path) -> str:
        """Return the name of the task in a file: its folder's if the file is called `file_name`, else its own."""
        named_by_folder = path.stem == Path(self.file_name).stem and path.parent.name
        return path.parent.name if named_by_folder else path.stem

    def dialect_of(self, wanted: str | None) -> str:
        """Return the dialect to convert with: `wanted`, or the default if that is None or of another front end."""
        if wanted is None or (wanted not in self.dialects and wanted in dialects()):
            return self.dialect
        return wanted


def front_ends(found: Found = plugins.every) -> Iterator[FrontEnd]:
    """Yield the front ends among the plug-ins that `found` returns: by default all, our own first."""
    for plugin in found(GROUP):
        yield plugin.load()


def front_end_of(node: SpecNode) -> FrontEnd | None:
    """Return the front end that recognises a file by its root node; None if none does, or it has the key `kind`."""
    if not node.is_mapping or "kind" in node:
        return None
    return next((form for form in front_ends() if form.recognises(node)), None)


def dialects(found: Found = plugins.every) -> dict[str, str]:
    """Return the descriptions of dialects by name, the default first; `found` returns the plug-ins to search."""
    return {name: f"{form.title}, {text}" for form in front_ends(found) for name, text in form.dialects.items()}


def default_dialect() -> str | None:
    """Return the default dialect: the first of our own front ends; None if no pack provides a front end.

    Examples:
        >>> default_dialect() in {*dialects(), None}
        True
    """
    first = next(front_ends(plugins.own), None)
    return None if first is None else first.dialect


def written(data: Any, place: Span) -> SpecNode:
    """Return plain data, which may contain nodes, as a node; all that is not yet a node gets the span `place`.

    The results of a front end have no positions of their own, so findings point at the data they were made from.

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
    return SpecNode(data, place, place, "folded")  # with this style, the text is never searched for in the file
