"""All files of a site as bytes by their path; the same content gives the same bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from scoring.report import numbers
from scoring.report.html import resource
from scoring.report.of.names import first_line, starred
from scoring.report.site.definitions import (
    definition_section,
    deprecation_note,
    examples_part,
    facts_list,
    parameters_table,
)
from scoring.report.site.frame import PageFrame
from scoring.report.site.markup import Child, Markup, breakable, el, inline, text, with_addresses
from scoring.report.site.model import (
    DialectTable,
    ShownParameter,
    ShownPart,
    SiteContent,
    SiteFile,
    SiteLink,
    SitePrimitive,
)

_SCRIPTS = ("search.js",)


def site_files(content: SiteContent) -> dict[str, bytes]:
    """Every file of the site by its path."""
    return {path: text.encode("utf-8") for path, text in sorted(_texts(content))}


def _texts(content: SiteContent) -> Iterator[tuple[str, str]]:
    yield "site.css", resource("page.css") + resource("site/site.css")
    for name in (*_SCRIPTS, *(("try.js",) if content.serving else ())):
        yield name, resource(f"site/{name}")
    yield "index.js", index_script(content.index)
    yield "index.html", _start(PageFrame(content, "index.html"))
    for name, heading, packs in (("packs", "Packs", True), ("tasks", "Tasks and suites", False)):
        yield f"{name}.html", _files(PageFrame(content, f"{name}.html"), name.title(), heading, packs)
    for name, metric in (("primitives", False), ("metrics", True)):
        yield f"{name}.html", _primitives(PageFrame(content, f"{name}.html"), metric)
    for file in content.files:
        yield file.page, _file(file, PageFrame(content, file.page))
    for primitive in content.primitives:
        yield primitive.page, _primitive(primitive, PageFrame(content, primitive.page))


def index_script(index: Mapping[str, object]) -> str:
    """The data of the search as a script, since pages from a disk may read no other file."""
    # JSON in ASCII is a value of JavaScript, too, whatever texts are in it.
    return f"globalThis.scoringIndex = {json.dumps(index, ensure_ascii=True, separators=(',', ':'))};\n"


# ---- lists


def _start(frame: PageFrame) -> str:
    content = frame.content
    packs = [one for one in content.files if one.kind == "pack"]
    tasks = [one for one in content.files if one.kind != "pack"]
    metrics = [one for one in content.primitives if one.data["kind"] == "metric"]
    steps = len(content.primitives) - len(metrics)
    counts = (
        (len(packs), ("pack", "packs"), "packs.html", "named definitions to import"),
        (len(tasks), ("task or suite", "tasks and suites"), "tasks.html", "how records become scores"),
        (steps, ("primitive", "primitives"), "primitives.html", "the alphabet of the language"),
        (len(metrics), ("metric", "metrics"), "metrics.html", "figures over a data set"),
    )
    cards = [
        el(
            "a",
            el("b", f"{number:,}"),
            el("span", names[number > 1]),
            el("span", told, class_="dim"),
            href=frame.linked(target),
        )
        for number, names, target, told in counts
        if number
    ]
    body = [
        el("h1", content.title),
        el("div", cards, class_="cards"),
        _section("Packs", _file_list(packs, frame)) if packs else None,
        _section("By topic", _topics(frame)),
    ]
    return frame.page(content.title, body)


def _section(heading: str, *body: Child) -> Markup:
    return el("section", el("h2", heading), body)


def _topics(frame: PageFrame) -> Markup:
    rows = []
    for topic, doc in frame.content.topics.items():
        named = [
            SiteLink(one.data["name"], one.page) for one in frame.content.primitives if topic in one.data["topics"]
        ]
        recipes = [SiteLink(one.name, one.page) for one in frame.content.files if one.topic == topic]
        if (named or recipes) and topic != "quirks":
            heading = el("dt", topic, el("span", f" {doc}", class_="dim"))
            whole = el("p", el("span", "recipes: ", class_="dim"), frame.links(recipes)) if recipes else None
            rows.append(el("div", heading, el("dd", frame.links(named), whole), id=f"topic-{topic}"))
    return el("dl", rows, class_="topics")


def _file_list(files: Sequence[SiteFile], frame: PageFrame) -> Markup:
    return el(
        "ul",
        [
            el(
                "li",
                el("a", one.name, href=frame.linked(one.page), class_="name"),
                el("span", f" {one.version}" if one.version else "", class_="dim"),
                el("span", "imported", class_="tag") if one.is_imported else None,
                el("span", "suite", class_="tag") if one.kind == "suite" else None,
                el("span", "deprecated", class_="tag warn-tag") if one.deprecated else None,
                el("p", inline(first_line(one.doc), lambda name: None)) if one.doc else None,
            )
            for one in files
        ],
        class_="files",
    )


def _files(frame: PageFrame, title: str, heading: str, packs: bool) -> str:
    files = [one for one in frame.content.files if (one.kind == "pack") == packs]
    body = _file_list(files, frame) if files else el("p", "There are none.")
    return frame.page(title, [el("h1", heading), body])


def _primitives(frame: PageFrame, metric: bool) -> str:
    found = [one for one in frame.content.primitives if (one.data["kind"] == "metric") == metric]
    title = "Metrics" if metric else "Primitives"
    families = sorted({str(one.data["family"]) for one in found})
    body: list[Child] = [el("h1", title)]
    body.append(el("p", [[el("a", name, href=f"#family-{name}"), " "] for name in families], class_="jump"))
    for family in families:
        members = [one for one in found if one.data["family"] == family]
        rows = [
            el(
                "tr",
                el("th", el("a", one.data["name"], href=frame.linked(one.page)), scope="row"),
                el("td", one.data["kind"], class_="dim") if not metric else None,
                el("td", inline(one.data["summary"], lambda name: None)),
            )
            for one in members
        ]
        table = el("div", el("table", el("tbody", rows), class_="names"), class_="wide")
        body.append(el("section", el("h2", family), table, id=f"family-{family}"))
    return frame.page(title, body)


# ---- a pack, a task, a suite


def _file(file: SiteFile, frame: PageFrame) -> str:
    names = {one.name: one.key for one in file.definitions}
    above = SiteLink("packs", "packs.html") if file.kind == "pack" else SiteLink("tasks", "tasks.html")
    body: list[Child] = [
        el("h1", file.name, " ", el("span", file.version, class_="dim") if file.version else None),
        frame.prose(file.doc, names.get) if file.doc else el("p", "No description.", class_="dim"),
        deprecation_note(file.deprecated, frame, names),
        el("pre", el("code", file.import_line), class_="copy") if file.import_line else None,
        _file_facts(file, frame),
        _contents(file, frame),
        [_section(heading, _parts(heading, parts, frame, names)) for heading, parts in file.parts],
        _section("Example records", examples_part(file.examples, "Example records")) if file.examples else None,
        _section("Definitions", [definition_section(one, frame, names) for one in file.definitions])
        if file.definitions
        else None,
        _dialects(file.dialects, frame) if file.dialects else None,
        _versions(file, frame),
        _section("The whole file", el("pre", el("code", text(file.text)), class_="copy")) if file.text else None,
        _section("Changelog", frame.prose(file.changelog, names.get)) if file.changelog else None,
    ]
    return frame.page(file.title, body, [above])


def _file_facts(file: SiteFile, frame: PageFrame) -> Markup:
    rows: list[tuple[str, Child]] = [
        ("imports", frame.links(file.imports)),
        ("requires", [[el("code", one), " "] for one in file.requires]),
        ("imported by", frame.links(file.used_by)),
        *((name, el("code", told, class_="digest")) for name, told in file.facts),
    ]
    return facts_list(rows)


def _contents(file: SiteFile, frame: PageFrame) -> Markup | None:
    if len(file.definitions) < 2:
        return None
    items = [
        el(
            "li",
            el("a", one.name, href=f"#{one.anchor}"),
            el("span", f" {one.role}", class_="dim"),
            el("span", "deprecated", class_="tag warn-tag") if one.deprecated else None,
        )
        for one in file.definitions
    ]
    return el("nav", el("ul", items), class_="contents", aria_label="Definitions on this page")


def _parts(heading: str, parts: Sequence[ShownPart], frame: PageFrame, names: Mapping[str, str]) -> Markup:
    is_plain = all(one.expression is None and not one.beside and not one.doc for one in parts)
    if is_plain and all(not one.text for one in parts):
        return el("ul", [el("li", frame.links(one.links) or one.name) for one in parts])
    return el("dl", [_part(one, frame, names) for one in parts], class_="parts")


def _part(part: ShownPart, frame: PageFrame, names: Mapping[str, str]) -> Markup:
    told: list[Child] = []
    if part.expression is not None:
        told.append(frame.expression(part.expression))
    if part.text:
        told.append(el("code", part.text))
    for name, given in part.more:
        line = el("code", frame.marked(given), class_="expression")
        told.append(el("p", el("span", f"{name} ", class_="dim"), line))
    if part.beside:
        told.append(el("p", " · ".join(part.beside), class_="dim"))
    if part.doc:
        told.append(frame.prose(part.doc, names.get))
    heading = el("dt", frame.links(part.links) or part.name) if part.name else None
    return el("div", heading, el("dd", told), id=part.anchor or None)


def _dialects(table: DialectTable, frame: PageFrame) -> Markup:
    head = [el("th", name, scope="col") for name in ("probe", "prediction", "reference")]
    named = (el("a", breakable(name.name), href=frame.linked(name.target)) for name in table.names)
    head += [el("th", name, scope="col", class_="right") for name in named]
    rows = []
    for what, prediction, reference, scores in table.rows:
        cells = [
            el("td", el("code", one.replace(" ", "␣")) if one else el("span", "(empty)", class_="dim"))
            for one in (prediction, reference)
        ]
        for score in scores:
            shown = numbers.NOTHING if score is None else f"{score:.3f}".rstrip("0").rstrip(".")
            first = scores[0]
            differs = score is not first and (score is None or first is None or abs(score - first) > 1e-9)
            cells.append(el("td", el("strong", shown) if differs else shown, class_="right"))
        rows.append(el("tr", el("th", what, scope="row"), cells))
    about = el(
        "p", "Scorers that go by one name in the field, on the same pairs. Bold differs from the first; ␣ is a space."
    )
    told = el("ul", [el("li", frame.link(name), f": {doc}") for name, doc in zip(table.names, table.docs, strict=True)])
    whole = el("table", el("thead", el("tr", head)), el("tbody", rows), class_="dialects")
    scrolled = el("div", whole, class_="wide", tabindex="0", role="region", aria_label="Dialects")
    return _section("Dialects", about, told, scrolled)


def _versions(file: SiteFile, frame: PageFrame) -> Markup | None:
    if len(file.versions) < 2:
        return None
    items = []
    for one in file.versions:
        name: Child = el("strong", one.version) if one.is_own else el("a", one.version, href=frame.linked(one.target))
        moved = el("ul", [el("li", inline(line, lambda word: None)) for line in one.moved]) if one.moved else None
        against = el("span", f" against {one.against}", class_="dim") if one.against else None
        items.append(el("li", name, against, moved))
    return _section("Versions", el("ul", items, class_="versions"))


# ---- a primitive


def _primitive(primitive: SitePrimitive, frame: PageFrame) -> str:
    data = primitive.data
    metric = data["kind"] == "metric"
    above = SiteLink("metrics", "metrics.html") if metric else SiteLink("primitives", "primitives.html")
    params = tuple(
        ShownParameter(
            starred(one),
            one["takes"],
            one["default"],
            one["doc"],
            is_required=one["default"] in ("required", "any number"),
        )
        for one in data["parameters"]
    )
    topics = [SiteLink(topic, f"index.html#topic-{topic}") for topic in data["topics"] if topic != "quirks"]
    rows: list[tuple[str, Child]] = [
        ("type", el("code", data["type"])),
        ("score", f"in {primitive.range}" if primitive.range else None),
        ("topics", frame.links(topics)),
        ("also called", ", ".join(data["aka"])),
        ("also", frame.links(primitive.others)),
        ("uses", [[el("code", one), " "] for one in data["uses"]]),
        ("source", with_addresses(data["source"])),
        ("used by", frame.links(primitive.used_by)),
        ("revision", str(data["revision"])),
    ]
    body: list[Child] = [
        el("h1", data["name"], " ", el("span", f"{data['kind']} · {data['family']}", class_="tag")),
        frame.prose(data["summary"]),
        frame.prose(data["body"]) if data["body"] else None,
        parameters_table(params, frame, {}) if params else None,
        facts_list(rows),
        _primitive_examples(primitive),
    ]
    return frame.page(data["name"], body, [above])


def _primitive_examples(primitive: SitePrimitive) -> Markup | None:
    if not primitive.examples:
        return None
    told = primitive.ran or "run when this page was written"
    return _section("Examples", el("pre", el("code", primitive.examples)), el("p", told, class_="dim"))
