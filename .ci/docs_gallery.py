"""The gallery of the documentation site: a page for each recipe, made while the site is built.

A page has what the recipe is for, its text, records, each step's values and the scores, all run by this checkout, and a
box in which a record is edited to the command that scores it. `docs/gallery.md` gets the list. Nothing is in git.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from mkdocs.structure.files import File

import scoring
from scoring.api.commands import own_commands
from scoring.errors import InputError
from scoring.extensions.pages.html import HtmlFragment
from scoring.extensions.reference.cookbook import CookbookRecipe, RecipeKind, recipe_kinds
from scoring.extensions.reference.search import glossary
from scoring.report.document import Document, Title, Tree
from scoring.report.numbers import format_score

ROOT = Path(__file__).resolve().parents[1]
PAGE = "gallery.md"
MOST_TRACED = 3
"""Records of a recipe whose steps are shown; the others are in the box."""
_MARKER = '<div data-gallery="{}"></div>'
_RUN = {"records": "Records, step by step", "figures": "What comes out", "trial": "Try it"}
"""The parts of a page that are run, and their headings."""
_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
)
_TEMPLATES.globals["score_text"] = format_score
_FILTER = """<form class="gallery-filter" role="search" hidden data-search-exclude>
<label>Show those about <input type="search" autocomplete="off" placeholder="f1, squad, captions …"></label>
<span role="status"></span></form>"""
_boxes: dict[str, dict[str, str]] = {}
"""Of each page the markup that takes the place of its markers, which Markdown would not leave as it is."""


@dataclass(frozen=True)
class Shown:
    """A recipe as a page shows it.

    Args:
        slug: The page's name.
        name: What commands call it: the name of the task, or the path of its file.
        title: What it is.
        group: The title of the group that holds it.
        doc: What the task says of itself.
        spec: Its file.
        aka: What else the field calls it.
        layouts: The layouts of published files that it reads.
        equal_to: What it is held to.
        lines: Its records, a JSON text each.
    """

    slug: str
    name: str
    title: str
    group: str
    doc: str
    spec: Path
    aka: Sequence[str] = ()
    layouts: Sequence[str] = ()
    equal_to: str = ""
    lines: Sequence[str] = ()

    @property
    def data(self) -> Path:
        """The file of its records."""
        return self.spec.with_suffix(".jsonl")


def shown_recipes() -> Iterator[Shown]:
    """Yield the recipes in the order of the gallery: the quickstart, then those of the cookbook by group."""
    start = ROOT / "specs" / "quickstart" / "invoices.yaml"
    title, doc = "Invoices: several fields of one answer in JSON", "The sample of the README: vendor, total and items."
    yield Shown("invoices", start.relative_to(ROOT).as_posix(), title, "Quickstart", doc, start, lines=_lines(start))
    for kind in recipe_kinds():
        for recipe in kind.recipes:
            yield _shown(kind, recipe)


def _shown(kind: RecipeKind, recipe: CookbookRecipe) -> Shown:
    named = glossary().names
    own = recipe.path.stem == kind.slug
    probes = ROOT / "tests" / "parity" / "recipes" / f"{recipe.path.stem}.jsonl"
    with probes.open(encoding="utf-8") as lines:
        head = json.loads(next(lines))
        count = sum(1 for _ in lines)
    what = "probes" if head["per"] == "record" else "sets of records"
    return Shown(
        recipe.path.stem,
        recipe.name,
        kind.title if own else f"{kind.title} ({recipe.name.partition('@')[0]})",
        kind.section.title,
        recipe.doc,
        recipe.path,
        named.get(recipe.name, ()),
        recipe.layouts,
        f"`{head['official']}` on {count} {what}. {head['note']}".strip(),
        _lines(recipe.path),
    )


def _lines(spec: Path) -> list[str]:
    return spec.with_suffix(".jsonl").read_text("utf-8").splitlines()


# ---- hooks


def on_files(files: Any, *, config: Any, **_: Any) -> Any:
    """Add a page for each recipe."""
    _boxes.clear()
    for name in [name for name in os.environ if name.startswith("SCORING_JUDGE")]:
        del os.environ[name]  # no model is asked while pages are made, whatever judge the environment names
    _boxes[PAGE] = {"filter": _FILTER}
    parts = _TEMPLATES.get_template("docs_gallery.jinja").module
    for one in shown_recipes():
        address = f"gallery/{one.slug}.md"
        box = _tried(one)
        _boxes[address] = {name: getattr(parts, name)(box) for name in _RUN}
        files.append(File.generated(config, address, content=page_text(one)))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """List the recipes on their page, and lead to each from the cookbook, in whose place the search finds it."""
    if page.file.src_uri == PAGE:
        return f"{markdown.rstrip()}\n\n{list_text(shown_recipes())}"
    if page.file.src_uri != "cookbook.md":
        return markdown
    page.meta["search"] = {"exclude": True}
    slugs = {recipe.name: recipe.path.stem for kind in recipe_kinds() for recipe in kind.recipes}
    linked = re.compile(r"^`([\w-]+@\d+)`: ", re.MULTILINE)
    return linked.sub(lambda found: f"[`{found[1]}`](gallery/{slugs[found[1]]}.md): ", markdown)


def on_page_content(html: str, *, page: Any, **_: Any) -> str:
    """Put what was run in the place of its markers; headings that every page has are no finds."""
    for name, found in _boxes.get(page.file.src_uri, {}).items():
        marker = _MARKER.format(name)
        if marker not in html:
            raise ValueError(f"{page.file.src_uri} has no line {marker}")
        html = html.replace(marker, found, 1)
        if title := _RUN.get(name):
            anchor = _anchor(title)
            html = html.replace(f'<h2 id="{anchor}">', f'<h2 id="{anchor}" data-search-exclude>', 1)
    return html


# ---- pages


def list_text(recipes: Iterable[Shown]) -> str:
    """Return the Markdown of the list of recipes by group, with what else the field calls each."""
    lines: list[str] = []
    for group, found in groupby(recipes, key=lambda one: one.group):
        lines += [f"## {_plain(group)}", ""]
        for one in found:
            aka = f" {_plain(', '.join(one.aka))}" if one.aka else ""
            lines.append(f"- [{_plain(one.title)}](gallery/{one.slug}.md) `{one.name}`{aka}")
        lines.append("")
    return "\n".join(lines)


def page_text(one: Shown) -> str:
    """Return the Markdown of a recipe's page, without what is run."""
    about = [f"`{one.name}` · [{_plain(one.group)}](../{PAGE}#{_anchor(one.group)})", _plain(one.doc)]
    if one.aka:  # a heading, since the search counts the words of headings most
        about.append(f"## Also called: {_plain(', '.join(one.aka))}")
    spec = _without_comment(one.spec.read_text("utf-8"))
    fence = "`" * (3 + max((len(run) for run in re.findall(r"`{3,}", spec)), default=0))
    parts = [f"# {_plain(one.title)}", *about, "## Its text", f"{fence}yaml\n{spec.strip()}\n{fence}"]
    if "@" in one.name:
        extends = f"kind: task\nname: my-{one.slug}\nversion: 1.0.0\nextends: {one.name}"
        parts += ["A task of your own [extends](../specs.md#tasks-by-name-and-extends) it:", f"```yaml\n{extends}\n```"]
    for name, title in _RUN.items():
        parts += [f"## {title}", _MARKER.format(name)]
    if one.layouts:
        named = ", ".join(f"`{name}`" for name in one.layouts)
        parts.append(
            f"[Published files](../running.md#published-files) are read as they come, in these layouts: {named}."
        )
    if one.equal_to:
        parts += ["## What it is held to", f"Equal to {_plain(one.equal_to)}"]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def _plain(text: str) -> str:
    """Return a text as Markdown in which only code between backticks is marked."""
    parts = re.split(r"(`[^`\n]+`)", text)
    parts[::2] = (re.sub(r"([\\`*_{}\[\]()#+!|~<>&-])", r"\\\1", part) for part in parts[::2])
    return "".join(parts)


def _without_comment(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("# yaml-language-server"))


def _tried(one: Shown) -> dict[str, Any]:
    """Return what the box of a recipe shows: its records, the steps of some of them, figures, and commands."""
    paths = [shlex.quote(path.relative_to(ROOT).as_posix()) for path in (one.spec, one.data)]
    task = shlex.quote(one.name)
    commands = [f"scoring score {task} {paths[1]}", f"scoring explain {task} {paths[1]}"]
    if "studio" in own_commands():
        commands.append(f"scoring studio {paths[0]} {paths[1]}")
    return {
        "task": task,
        "commands": "\n".join(commands),
        "has_studio": "studio" in own_commands(),
        "lines": one.lines,
        **_run(one),
    }


def _run(one: Shown) -> dict[str, Any]:
    try:
        task = scoring.load(one.name if "@" in one.name else one.spec)
        run = task.evaluate(one.data)
    except InputError as error:  # an extra that is not here, a judge that nobody named
        return {"error": str(error), "figures": "", "records": []}
    records = []
    rows = list(run.table())
    for place in _chosen(rows):
        told = scoring.explain(task, one.data, record=f"line {place + 1}")
        given = _given(one.lines[place])
        records.append(
            {
                "place": place,
                "row": rows[place],
                "given": given,
                "about": next((value for key, value in given if key in ("response", "output")), given[0][1]),
                "steps": _body(_without_head(told.document())),
            }
        )
    return {"error": "", "figures": _body(_without_title(run.document())), "records": records}


def _chosen(rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the places of a few records whose scores differ as much as may be: the first of each score."""
    firsts: dict[Any, int] = {}
    for place, row in enumerate(rows):
        firsts.setdefault((row["status"], row["score"]), place)
    places = sorted(firsts.values())
    more = [place for place in range(len(rows)) if place not in places]
    return sorted([*places, *more][:MOST_TRACED])


def _given(line: str) -> list[tuple[str, str]]:
    record = json.loads(line)
    return [
        (key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for key, value in record.items()
    ]


def _without_head(document: Document) -> Document:
    """Return the document of a trace without what stands beside it on the page: the record's score and its response."""
    trees = (block for block in document.blocks if isinstance(block, Tree))
    shorn = [Tree("", tuple(one for one in tree.branches if one.name != "response")) for tree in trees]
    return Document(tuple(shorn))


def _without_title(document: Document) -> Document:
    return Document(tuple(block for block in document.blocks if not isinstance(block, Title)))


def _body(document: Document) -> Markup:
    # The site's style is for tables without a class, which its script wraps once more.
    return HtmlFragment(document, full=False).html().replace(Markup("<table>"), Markup('<table class="gallery-table">'))
