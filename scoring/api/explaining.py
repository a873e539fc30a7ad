"""Explain how one record is scored, stage by stage, or what a name means: of a primitive, a pack's definition, a recipe
or a kind of finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from scoring.api.arguments import verb
from scoring.api.definitions import scorer
from scoring.api.judging import opened_judge
from scoring.api.lists import definition_data, find_pack
from scoring.api.opening import Opened, SpecSource, reopened
from scoring.api.result import Result
from scoring.api.running import data_set, lanes_of
from scoring.api.sources import GivenData
from scoring.compiler.task import CompiledTask
from scoring.data.rows.join import Item, id_text
from scoring.data.rows.report import InputReport
from scoring.diagnostics.diagnostic import SpecError
from scoring.diagnostics.suggest import did_you_mean, nearest, plain_name, spoken
from scoring.errors import InputError
from scoring.format.cookbook import recipe_kinds
from scoring.format.definitions import Definition
from scoring.format.load import Loader
from scoring.format.model import TaskSpec
from scoring.registry import registry
from scoring.registry.effect import EffectOptions
from scoring.report.of.names import definition_document, finding_document, primitive_document, recipe_document
from scoring.report.of.trace import trace_document
from scoring.report.reference import primitive_data

MAX_SEEN = 10_000


class Explained(Result):
    """The explanation of a name, or the trace of one record."""


def explain_name(name: str) -> Explained:
    """Return the explanation of a name: of a primitive, a kind of finding, a pack's definition, or a recipe.

    Raises:
        InputError: when nothing has that name.
    """
    if found := [one for one in (registry.get(name), registry.metric(name)) if one is not None]:
        return _primitives(found)
    page = catalog_page(name)
    if page is not None:
        return Explained({"id": name, "page": page}, f"the finding {name}", finding_document)
    if ":" in name:
        return _definition(name)
    if recipe := _recipe(name):
        return recipe
    if meant := registry.called(name):
        return _primitives(meant)
    if Path(name).exists():
        raise InputError(f"to explain a record, name the data too: scoring explain {name} DATA --record ID")
    raise InputError(_unknown(name))


def _has_name(name: str) -> bool:
    """Return whether a name is that of a primitive, a metric or a kind of finding."""
    return bool(registry.get(name) or registry.metric(name) or catalog_page(name) or registry.called(name))


def catalog_page(name: str) -> str | None:
    """Return the documentation page of a kind of finding by its id; None if there is no such kind."""
    if not name.replace("-", "").isalnum():
        return None
    page = files("scoring.diagnostics").joinpath("catalog", f"{name}.md")
    return page.read_text("utf-8") if page.is_file() else None


def _primitives(found: Sequence[Any]) -> Explained:
    """Return the explanation of a primitive; if a metric has the same name, of both."""
    data, *others = map(primitive_data, found)
    about = f"the primitive {data['name']}"
    names = {plain_name(name) for one in found for name in (one.name, *one.aka)}
    data["recipes"] = [one.name for kind in recipe_kinds() if plain_name(kind.slug) in names for one in kind.recipes]
    return Explained({**data, **({"metric": others[0]} if others else {})}, about, primitive_document)


def _recipe(name: str) -> Explained | None:
    """Return the explanation of a cookbook recipe, given as ``cookbook/wer``, or as ``wer`` if no primitive has that
    name; None if there is no such recipe."""
    for kind in recipe_kinds():
        for recipe in kind.recipes:
            if name == recipe.name or (name == recipe.path.stem and not registry.called(name)):
                data = {"name": recipe.name, "title": kind.title, "doc": recipe.doc, "text": recipe.text}
                return Explained(data, f"the recipe {recipe.name}", recipe_document)
    return None


def _definition(name: str) -> Explained:
    pack_name, _, wanted = name.rpartition(":")
    pack = find_pack(pack_name)
    definition = pack.definitions.get(wanted)
    if definition is None:
        close = nearest(wanted, pack.definitions)
        hint = f"; did you mean `{close}`?" if close else f"; see `scoring list {pack_name}`"
        raise InputError(f"{pack.name} has no `{wanted}`{hint}")
    data = {**definition_data(pack, definition), **_scores(name, definition)}
    return Explained(data, f"{wanted} of {pack.name}", definition_document)


def _scores(name: str, definition: Definition) -> dict[str, Any]:
    """Return a scorer's range of scores, and whether it reads the reference; empty for other definitions, and for a
    scorer with required parameters."""
    required = any(param.is_required for param in definition.params)
    if definition.role != "scorer" or required:
        return {}
    found = scorer(name)
    return {"range": found.range.to_json(), "reads_reference": found.reads_reference}


def _unknown(name: str) -> str:
    pages = [page.name.removesuffix(".md") for page in files("scoring.diagnostics").joinpath("catalog").iterdir()]
    also = {**registry.other_names("metrics"), **registry.other_names("steps")}
    recipes = [recipe.name for kind in recipe_kinds() for recipe in kind.recipes]
    look = f'`scoring list --about "{spoken(name)}"` looks for it'
    hint = did_you_mean(name, [*registry.names(), *pages, *recipes], look, also=also)
    return f"nothing is called `{name}`; {hint}"


@verb
def explain(
    what: SpecSource | CompiledTask,
    data: Any = None,
    *,
    record: str | int | None = None,
    references: Any = None,
    input_format: str | None = None,
    dialect: str | None = None,
    judge: EffectOptions | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Explained:
    """Return the trace of one record's scoring, stage by stage; or, without data, the explanation of a name.

    Args:
        what: A spec; without data, the name of a primitive, ``PACK:SCORER``, or the id of a finding.
        data: The records, if ``what`` is a spec: a path, an iterable of mappings, a data frame, or an Arrow table.
        record: The id of the record or image, by default the first one; in a suite ``TASK/ID``, or just the id.
        references: The references that are joined to the records by id.
        input_format: The format of ``data``, such as ``csv,delimiter=tab``.
        dialect: The dialect that defines the names in a task file of a foreign form (another tool's format).
        judge: The judge's options; None keeps the judge that this process has.
        on_note: Called with each remark about the result, as a line of text.

    Raises:
        SpecError: when the spec is invalid.
        InputError: when there is no such name or record.

    Examples:
        >>> explain("levenshtein")
        <Explained: the primitive levenshtein>
    """
    if data is None and isinstance(what, str | Path) and not _names_data_set(str(what), dialect):
        about_records = {"--record": record, "--references": references, "--input-format": input_format}
        for option in (name for name, given in about_records.items() if given is not None):
            raise InputError(f"{option} needs the records: scoring explain SPEC DATA --record ID")
        if dialect is not None:
            raise InputError(f"--dialect is for a task file of a foreign form, and `{what}` is none; leave it out")
        return explain_name(str(what))
    if isinstance(what, str) and not Path(what).exists() and _has_name(what):
        raise InputError(f"`{what}` is explained without data: `scoring explain {what}`; a record needs a spec")
    record = record if isinstance(record, str) else id_text(record)  # ids are compared as text
    opened = reopened(what, dialect=dialect)
    if data is None and opened.kind != "table":
        raise InputError("--record needs the records: scoring explain SPEC DATA --record ID")
    given = GivenData(data, references, input_format).opened()
    if opened.kind == "table":
        return replace(_image(opened, given, record), warnings=opened.warnings)
    compiled, item, about = _found(_items(opened, given), record)
    if item.problem is not None or item.record is None:
        raise InputError(f"this record can't be scored: {item.problem}")
    asked = judge.remembering() if judge is not None and compiled.asks_judge else judge
    with opened_judge(asked, needed=compiled.asks_judge, on_note=on_note):
        story = compiled.explain(item.record)
    return Explained(story, about, trace_document, warnings=opened.warnings)


def _names_data_set(name: str, dialect: str | None) -> bool:
    """Return whether a name is the path of a task over a data set as a whole, which locates its data itself."""
    if not Path(name).is_file():
        return False
    try:
        spec = Loader(dialect=dialect).file(Path(name), name).spec
    except SpecError:  # told where the file is loaded in earnest
        return False
    return isinstance(spec, TaskSpec) and spec.records is not None


def _image(opened: Opened, given: GivenData, image: str | None) -> Explained:
    kind, settings, data, _ = data_set(opened, given)
    metrics = {metric.text: metric for metric in opened.task.metrics}
    story = {"task": opened.task.name, **kind.story(settings, metrics, data, image)}
    return Explained(story, f"image {story['id']} of {opened.task.name}", kind.document)


def _items(opened: Opened, given: GivenData) -> Iterator[tuple[CompiledTask, str, Item]]:
    """Yield every record with its task and the prefix of its name: the task's name, if the spec joins several."""
    for lane in lanes_of(opened, given, InputReport()):
        before = "" if lane.label is None else f"{lane.label}/"
        yield from ((lane.task, before, item) for item in lane.items)


def _found(items: Iterator[tuple[CompiledTask, str, Item]], record: str | None) -> tuple[CompiledTask, Item, str]:
    """Return the record with the given id or position, its task and a description; by default the first record."""
    seen: list[str] = []
    for task, before, item in items:
        text = id_text(item.id)
        named = item.where if text is None else f"{before}{text}"
        if record is None or record in (text, named, item.where):
            return task, item, f"record {named} of {task.name}"
        if text is not None and len(seen) < MAX_SEEN:
            seen.append(named)
    if record is None:
        raise InputError("there is no record in the data")
    close = nearest(record, seen)
    some = ", ".join(f"`{one:.40}`" for one in seen[:3])
    hint = f"; did you mean `{close}`?" if close else f"; the first are {some}" if some else ""
    raise InputError(f"no record has the id `{record}`{hint}")
