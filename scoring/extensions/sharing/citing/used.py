"""The rules that a spec uses, each with its source: definitions of packs, and primitives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from scoring.compiler.tasks.task import CompiledTask
from scoring.compiler.tasks.whole import recipe_of
from scoring.extensions.sharing.changes.names import SpecFiles
from scoring.extensions.suites.model import Suite
from scoring.format.bundle import BundleLoader
from scoring.format.definitions import Definition
from scoring.format.keys import SpecPart
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack
from scoring.lang.tree import Call, Pipeline, walk
from scoring.registry.model import Primitive


class UsedRule(Struct, frozen=True):
    """A rule (a definition of a pack, or a primitive) that a spec uses: its name, the text that cites its origin
    (`source`), and the version of its pack ("" for a primitive)."""

    name: str
    source: str
    version: str = ""


def rules_of_spec(loaded: Loaded, loader: Loader) -> list[UsedRule]:
    """Return the definitions and primitives that a pack or a task uses; a pack counts as using all of its own
    definitions.

    Args:
        loaded: The pack or the task.
        loader: The loader that opens its imports.

    Raises:
        SpecError: when it does not compile.
    """
    return [*_definitions(loaded, loader), *rules_of_primitives(recipe_of(loaded, loader).primitives)]


def rules_of_task(task: CompiledTask) -> list[UsedRule]:
    """Return the definitions and primitives that a compiled task uses."""
    parts = task.parts
    return [*_definitions(parts.loaded, parts.loader), *rules_of_primitives(parts.recipe.primitives)]


def rules_of_suite(suite: Suite) -> list[UsedRule]:
    """Return the definitions and primitives that a suite and its tasks use."""
    loader = BundleLoader(suite.bundle)
    own = [*_definitions(loader.spec(), loader), *rules_of_primitives(suite.recipe.primitives)]
    return [*own, *(rule for one in suite.tasks for rule in rules_of_task(one.compiled))]


def rules_of_primitives(primitives: Iterable[Primitive]) -> list[UsedRule]:
    """Return each primitive as a rule, with the `Source:` of its docstring; names of metrics get a prefix, because a
    step may have the same name.

    A work that a docstring names after "as used in" did not introduce the rule, so it is not cited.
    """
    return [
        UsedRule(f"{'metric ' if one.kind == 'metric' else ''}{one.name}", source_that_defines(one.doc.source))
        for one in primitives
    ]


def source_that_defines(text: str) -> str:
    """Return the text of a ``Source:`` up to the words "as used in": the work that introduced a rule; "" if only works
    that use it are named.

    Examples:
        >>> source_that_defines("Jaccard 1901, as used in PASCAL VOC"), source_that_defines("As used in X")
        ('Jaccard 1901', '')
    """
    return re.split(r"\bas used in\b", text, maxsplit=1, flags=re.IGNORECASE)[0].rstrip(" ,;:")


def _definitions(loaded: Loaded, loader: Loader) -> list[UsedRule]:
    """Return the definitions that the expressions of a file use, directly or through others, each once, sorted by file
    and name; for a pack these include all its own."""
    files = SpecFiles.of(loaded, loader)
    waiting: list[tuple[int, str]] = []
    if isinstance(loaded.spec, Pack):
        waiting += [(0, name) for name in files.definitions(0)]
    else:
        waiting += _called(files, 0, _pipelines(loaded.spec))
    reached: dict[tuple[int, str], None] = {}
    while waiting:
        one = waiting.pop()
        if one in reached:
            continue
        reached[one] = None
        definition = files.definitions(one[0])[one[1]]
        # A parameter hides a definition of the same name, and a definition may wrap a primitive of the same name.
        own = {*(param.name for param in definition.params), definition.name}
        waiting += _called(files, one[0], [definition.pipeline, *_pipelines(definition.params)], own)
    found = ((files.files[number].spec, files.definitions(number)[name]) for number, name in sorted(reached))
    return [UsedRule(f"{spec.name}.{one.name}", one.source, spec.version) for spec, one in found]


def _called(
    files: SpecFiles, number: int, pipelines: Iterable[Pipeline], own: Iterable[str] = ()
) -> list[tuple[int, str]]:
    names = (node.name for pipeline in pipelines for node in walk(pipeline) if isinstance(node, Call))
    found = (files.definition(number, name) for name in names if name not in own)
    return [one for one in found if one is not None]


def _pipelines(part: Any) -> Iterator[Pipeline]:
    """Yield each expression in a spec or a part of one, except the expressions of its definitions, which are found by
    their names."""
    if isinstance(part, Pipeline):
        yield part
    elif isinstance(part, (Definition, str)):
        return
    elif isinstance(part, Mapping):
        for one in part.values():
            yield from _pipelines(one)
    elif isinstance(part, (list, tuple)):
        for one in part:
            yield from _pipelines(one)
    elif isinstance(part, SpecPart):
        for name in part.__struct_fields__:
            yield from _pipelines(getattr(part, name))
