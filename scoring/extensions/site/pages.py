"""All files of a site as bytes by their path; the same specs give the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from scoring.diagnostics.suggest import spoken
from scoring.diagnostics.words import plain_name
from scoring.extensions.pages.templates import resource
from scoring.extensions.reference.cookbook import recipe_kinds
from scoring.extensions.reference.documents import first_line
from scoring.extensions.reference.lists import definition_data
from scoring.extensions.reference.search import (
    EMPTY,
    SETTINGS,
    Findable,
    findable_definition,
    findable_primitive,
    findable_recipe,
    words_of,
)
from scoring.extensions.sharing.signing.subjects import release_digest
from scoring.extensions.site.definitions import (
    DIGITS,
    definition_section,
    deprecation_note,
    description,
    dialect_table,
    primitive_page,
)
from scoring.extensions.site.examples import examples_part
from scoring.extensions.site.files import PackVersion, SiteFile, moves, pack_changelog
from scoring.extensions.site.frame import PageFrame, SiteLink
from scoring.extensions.site.gather import SiteReader
from scoring.extensions.site.markup import Child, coded, inline, parts
from scoring.extensions.site.tasks import TaskSection, all_sections
from scoring.extensions.suites.spec import SuiteSpec
from scoring.format.model import Pack
from scoring.format.yaml_text import yaml_text
from scoring.registry.topics import TOPICS


def site_files(site: SiteReader) -> dict[str, bytes]:
    """Return the content of every file of the site, by its path.

    Raises:
        InputError: when an example of a primitive gives another result than it states.
    """
    return {path: text.encode("utf-8") for path, text in sorted(_texts(site))}


def _texts(site: SiteReader) -> Iterator[tuple[str, str]]:
    yield "site.css", resource("page.css") + resource("site.css", __package__)
    for name in ("search.js", *(("try.js",) if site.serving else ())):
        yield name, resource(name, __package__)
    sections, versions = all_sections(site), moves(site.files, site.loader)
    # As a script, because pages opened from a disk can't read other files; JSON in ASCII is valid JavaScript.
    index = json.dumps(index_data(findable(site, sections)), ensure_ascii=True, separators=(",", ":"))
    yield "index.js", f"globalThis.scoringIndex = {index};\n"
    yield "index.html", _start(site, site.frame("index.html"))
    for name, heading, packs in (("packs", "Packs", True), ("tasks", "Tasks and suites", False)):
        frame, files = site.frame(f"{name}.html"), _of_kind(site, packs)
        listed = _file_list(files, frame) if files else parts.paragraph("There are none.")
        yield f"{name}.html", frame.page(name.title(), [parts.heading(1, heading), listed])
    for title, metric in (("Primitives", False), ("Metrics", True)):
        frame = site.frame(f"{title.lower()}.html")
        yield frame.path, frame.page(title, [_primitives(site, title, metric, frame)])
    for file in site.files:
        yield file.page, _file(site, file, sections[file.page], versions.get(file.spec.name, ()))
    for primitive in site.primitives:
        frame = site.frame(site.targets.primitive(primitive))
        yield frame.path, primitive_page(site, primitive, frame)


def _of_kind(site: SiteReader, packs: bool) -> list[SiteFile]:
    return [one for one in site.files if isinstance(one.spec, Pack) == packs]


# ---- the search, which uses the same words as `scoring list --about`


def findable(site: SiteReader, sections: Mapping[str, Sequence[TaskSection]]) -> Iterator[tuple[Findable, str]]:
    """Yield all that the search of a site can find, each with its page and anchor; of equally good matches the earlier
    one is shown first.

    Args:
        site: The content of the site.
        sections: The sections of its tasks and suites, by page.
    """
    for primitive in site.primitives:
        if not primitive.is_quirk:
            yield findable_primitive(primitive), site.targets.primitive(primitive)
    recipes = {recipe.name: (kind, recipe) for kind in recipe_kinds() for recipe in kind.recipes}
    for file in site.files:
        if not isinstance(file.spec, Pack):
            known = recipes.get(file.spec.name)
            found = findable_recipe(*known) if known is not None else None
            same = found is not None and found.data["doc"] == " ".join(file.spec.doc.split())
            yield found if found is not None and same else _findable_file(file, sections), file.page
    for file in site.files:
        if isinstance(file.spec, Pack):
            yield _findable_file(file, sections), file.page
            for definition in file.definitions.values():
                data = definition_data(file.spec, definition)
                target = site.targets.of_definition(definition, file.scope)
                yield findable_definition(file.spec.name, file.spec.doc, data), target


def index_data(things: Iterable[tuple[Findable, str]]) -> dict[str, Any]:
    """Return the index that the search of a site reads, as plain data: a list of all words, and for each findable thing
    the indexes of its words by weight."""
    words: dict[str, int] = {}
    rows = []
    for thing, target in things:
        by_weight: dict[float, list[int]] = {}
        for word, weight in thing.words.items():
            by_weight.setdefault(weight, []).append(words.setdefault(word, len(words)))
        rows.append(
            [
                thing.data["name"],
                thing.data["kind"],
                first_line(str(thing.data["summary"])),
                target,
                [plain_name(name) for name in thing.names],
                [" ".join(words_of(spoken(name))) for name in thing.names],
                [by_weight.get(weight, []) for weight in SETTINGS["weights"]],
            ]
        )
    return {"settings": SETTINGS, "empty": sorted(EMPTY), "words": list(words), "things": rows}


def _findable_file(file: SiteFile, sections: Mapping[str, Sequence[TaskSection]]) -> Findable:
    name, doc = file.spec.name, file.spec.doc.strip()
    data = {"name": file.title, "kind": file.spec.kind, "summary": first_line(doc), "aka": []}
    fields = " ".join(names for _, names, _ in sections[file.page])
    return Findable(data, (name, name.rpartition("/")[2]), first_line(doc), f"{doc} {fields}")


# ---- lists


def _start(site: SiteReader, frame: PageFrame) -> str:
    packs, tasks = _of_kind(site, True), _of_kind(site, False)
    metrics = sum(one.kind == "metric" for one in site.primitives)
    counts = (
        (len(packs), ("pack", "packs"), "packs.html", "named definitions to import"),
        (len(tasks), ("task or suite", "tasks and suites"), "tasks.html", "how records become scores"),
        (
            len(site.primitives) - metrics,
            ("primitive", "primitives"),
            "primitives.html",
            "the alphabet of the language",
        ),
        (metrics, ("metric", "metrics"), "metrics.html", "figures over a data set"),
    )
    cards = [
        (f"{number:,}", names[number > 1], doc, frame.linked(target)) for number, names, target, doc in counts if number
    ]
    body = [
        parts.start(site.title, cards),
        parts.section("Packs", [_file_list(packs, frame)]) if packs else None,
        parts.section("By topic", [_topics(site, frame)]),
    ]
    return frame.page(site.title, body)


def _topics(site: SiteReader, frame: PageFrame) -> Markup:
    topics = {recipe.name: kind.topic for kind in recipe_kinds() for recipe in kind.recipes}
    rows = []
    for topic, doc in TOPICS.items():
        links = [SiteLink(one.name, site.targets.primitive(one)) for one in site.primitives if topic in one.topics]
        tasks = [one for one in _of_kind(site, False) if topics.get(one.spec.name) == topic]
        if (links or tasks) and topic != "quirks":
            recipes = frame.links(SiteLink(one.spec.name, one.page) for one in tasks)
            rows.append((topic, doc, frame.links(links), recipes))
    return parts.topics(rows)


def _file_list(files: Sequence[SiteFile], frame: PageFrame) -> Markup:
    rows = [
        {
            "name": one.spec.name,
            "href": frame.linked(one.page),
            "version": one.spec.version,
            "is_imported": one.is_imported,
            "is_suite": isinstance(one.spec, SuiteSpec),
            "is_deprecated": isinstance(one.spec, Pack) and bool(one.spec.deprecated),
            "doc": inline(first_line(one.spec.doc.strip())),
        }
        for one in files
    ]
    return parts.files(rows)


def _primitives(site: SiteReader, title: str, metric: bool, frame: PageFrame) -> Markup:
    found = [one for one in site.primitives if (one.kind == "metric") == metric]
    families = []
    for family in sorted({one.family for one in found}):
        rows = [
            (one.name, frame.linked(site.targets.primitive(one)), "" if metric else one.kind, inline(one.doc.summary))
            for one in found
            if one.family == family
        ]
        families.append((family, rows))
    return parts.families(title, families)


# ---- a pack, a task, a suite


def _file(
    site: SiteReader, file: SiteFile, sections: Iterable[TaskSection], versions: Iterable[PackVersion] | None
) -> str:
    frame, spec, above = site.frame(file), file.spec, "packs" if isinstance(file.spec, Pack) else "tasks"
    examples = [one for one in file.tried if one.program is None]
    definitions = [definition_section(site, file, one, frame) for one in file.definitions.values()]
    body: list[Child] = [
        parts.title(spec.name, spec.version),
        description(spec.doc, frame),
        *(_import(spec, file, frame) if isinstance(spec, Pack) else ()),
        _facts(site, file, frame),
        _contents(site, file) if len(definitions) > 1 else None,
        *(parts.section(heading, [drawn]) for heading, _, drawn in sections),
        parts.section("Example records", [examples_part(examples, "Example records")]) if examples else None,
        parts.section("Definitions", definitions) if definitions else None,
    ]
    if isinstance(spec, Pack):
        changelog = pack_changelog(file.loaded)
        body += [
            dialect_table(spec, file, site.targets, frame),
            _versions(file, versions, frame) if versions else None,
            parts.section("Changelog", [frame.prose(changelog)]) if changelog else None,
        ]
    else:  # for copying and editing
        body.append(parts.section("The whole file", [parts.code_block(yaml_text(spec.data), "copy")]))
    return frame.page(file.title, body, [SiteLink(above, f"{above}.html")])


def _import(spec: Pack, file: SiteFile, frame: PageFrame) -> Iterator[Child]:
    yield deprecation_note(spec.deprecated, frame)
    line = f"imports: {{{file.alias}: {spec.name}@{spec.version.partition('.')[0]}}}"
    yield parts.code_block(line, "copy")


def _facts(site: SiteReader, file: SiteFile, frame: PageFrame) -> Markup:
    spec, pack = file.spec, isinstance(file.spec, Pack)
    meaning = file.task.parts.recipe.digest[:DIGITS] if file.task is not None else ""
    digest = release_digest(file.loaded.path) if pack else file.loaded.digest
    rows: list[tuple[str, Child]] = [
        ("imports", frame.links(SiteLink(one.title, one.page, f"as {alias}") for one, alias in site.imports(file))),
        ("requires", coded(map(str, spec.requires)) if isinstance(spec, Pack) else None),
        ("imported by", frame.links(site.users(file.page))),
        ("meaning", parts.code(meaning, look="digest") if meaning else None),
        ("digest", parts.code(digest, look="digest") if digest else None),
    ]
    return parts.facts(rows)


def _contents(site: SiteReader, file: SiteFile) -> Markup:
    items = [
        (name, f"#{site.targets.of_definition(one, file.scope).partition('#')[2]}", one.role, bool(one.deprecated))
        for name, one in file.definitions.items()
    ]
    return parts.contents(items)


def _versions(own: SiteFile, versions: Iterable[PackVersion], frame: PageFrame) -> Markup:
    """Return the section that lists all versions of a pack, with links except to the one whose page it is on
    (`own`)."""
    items = [
        (file.spec.version, "" if file is own else frame.linked(file.page), before, list(map(inline, lines)))
        for file, before, lines in versions
    ]
    return parts.section("Versions", [parts.versions(items)])
