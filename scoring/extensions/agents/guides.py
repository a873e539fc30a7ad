"""The pages that a language model reads before it writes a spec, made from the registry: a skill, and an index."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from scoring.data.json_write import dumps
from scoring.extensions.agents.skill_text import INDEX, SKILL
from scoring.extensions.reference.primitives import KINDS, arrow, literal
from scoring.format.table import KeyPlace, every_place
from scoring.lazy_pattern import lazy_pattern
from scoring.registry import registry
from scoring.registry.model import STARS, Param, Primitive
from scoring.report.visible import shorten

MOST_BYTES = 30_000
"""The largest size of each page: more is read by few models whole."""
SHAPES = Path(__file__).parent / "shapes"
"""The folder of the commonest shapes of specs, each with examples that a test runs."""
PATHS = ("docs/skills/scoring/SKILL.md", "docs/llms.txt")

_SECTION = lazy_pattern(r"^  - ([^:\n]+):$|^ +- (?:[^:\n]+: )?([\w/.-]+\.md)$", re.MULTILINE)
_TITLE = lazy_pattern(r"^# (.+)$", re.MULTILINE)
_LINK = lazy_pattern(r"\[([^\]]*)\]\([^)]*\)")
_CODE = lazy_pattern(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_LONGEST = 160
_LEFT_OUT = frozenset({"vision"})
"""Families of steps that score data sets of images, which a task over rows can do without."""
_SPECIAL = ("Reference", "Code")
"""Sections of the site that a model seldom needs: they stand last, as the optional part."""


def agent_guides(root: Path) -> dict[str, str]:
    """Return the text of each page for language models, by its path in the checkout `root`.

    Raises:
        ValueError: when a page has become too long.
    """
    pages = dict(zip(PATHS, (skill_text(), index_of_pages(root)), strict=True))
    for name, text in pages.items():
        if len(text.encode()) > MOST_BYTES:
            raise ValueError(f"{name} has {len(text.encode()):,} bytes, and may have {MOST_BYTES:,}")
    return pages


def skill_text() -> str:
    """Return the skill: how to write, check and try a spec, with every key, step and metric that tasks use.

    Examples:
        >>> skill_text().splitlines()[1], len(skill_text().encode()) <= MOST_BYTES
        ('name: scoring', True)
    """
    known = [one for one in registry if one.is_own and not one.is_quirk and one.family not in _LEFT_OUT]
    parts = {
        "keys": "\n".join(_keys()),
        "steps": "\n".join(_steps([one for one in known if one.kind not in ("metric", "aggregator")])),
        "aggregators": ", ".join(call_text(one) for one in known if one.kind == "aggregator"),
        "metrics": ", ".join(call_text(one) for one in known if one.kind == "metric" and one.inputs[0].name == "Rows"),
        "shapes": "\n".join(f"```yaml\n{text.strip()}\n```" for text in shapes().values()),
    }
    return SKILL.format_map(parts)


def shapes() -> dict[str, str]:
    """Return the texts of the commonest shapes of specs by the names of their files, in the order of their numbers."""
    paths = sorted(SHAPES.glob("*.yaml"), key=lambda path: int(path.name.partition("-")[0]))
    return {path.name: path.read_text("utf-8") for path in paths}


def call_text(primitive: Primitive) -> str:
    """Return how a primitive is called, as short text: its name, and its parameters with their defaults.

    Examples:
        >>> call_text(registry.get("zero_below")), call_text(registry.get("lower"))
        ('zero_below(threshold, strict=false)', 'lower')
    """
    inside = ", ".join(map(_param, primitive.params))
    return f"{primitive.name}({inside})" if inside else primitive.name


def _param(param: Param) -> str:
    if param.variadic:
        return f"{STARS[param.variadic]}{param.name}"
    if param.required:
        return f"{param.name}: pipeline" if param.pipeline else param.name
    if param.choices and len(dumps(param.choices)) <= 60:
        others = [literal(one) for one in param.choices if one != param.default]
        return "|".join([f"{param.name}={literal(param.default)}", *others])
    shown = literal(param.default)
    return f"{param.name}={shown}" if len(shown) <= 20 else f"{param.name}=…"


def _steps(steps: Sequence[Primitive]) -> Iterator[str]:
    """Yield the steps by families, and in each by what they take and give, a line for each kind and type."""
    families: dict[str, dict[tuple[int, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for one in steps:
        place = KINDS.index(one.kind), f"{one.kind} {arrow(one)}" if one.kind == "combinator" else arrow(one)
        families[one.family][place].append(call_text(one))
    for family, lines in sorted(families.items()):
        yield f"\n### {family}\n"
        for (_, type_), calls in sorted(lines.items()):
            yield f"- `{type_}`: {', '.join(sorted(calls))}"


def _keys() -> Iterator[str]:
    """Yield a line for each key of a task over rows, those of definitions once, from their declarations."""
    for place in every_place():
        if "rows" not in place.kinds or len(place.path) > 3 or _is_in_definition(place.path):
            continue
        yield f"- `{place.text}`{_must(place)} {_first_sentence(place.key.doc)}"


def _is_in_definition(path: Sequence[str]) -> bool:
    is_definition = path[0] in ("parsers", "transforms", "aggregates", "scorers")
    return ((is_definition or path[-1] in ("audit", "doc", "source")) and len(path) > 1) or path[0] in _RARE


_RARE = frozenset({"audit", "layouts", "judges", "deprecated", "reward", "extends"})


def _must(place: KeyPlace) -> str:
    if place.key.required and "rows" in place.key.required:
        return " (required)"
    default = place.key.default if isinstance(place.key.default, str) else dumps(place.key.default)
    return "" if place.key.default in (None, False) or len(default) > 20 else f" (`{default}`)"


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, without links.

    Examples:
        >>> _first_sentence("A [pack](p.md), say. More.")
        'A pack, say.'
    """
    plain = _LINK.sub(r"\1", " ".join(text.split()))
    return re.split(r"(?<=[.!?]) (?=[A-Z`*])", plain, maxsplit=1)[0]


# ---- the index of the pages


def index_of_pages(root: Path) -> str:
    """Return the file ``llms.txt`` of a site: what it is about, and its pages with a sentence about each."""
    sections: dict[str, list[str]] = {}
    for section, page in _pages((root / "mkdocs.yml").read_text("utf-8")):
        if page not in ("index.md", PATHS[0].removeprefix("docs/")):
            sections.setdefault(section, []).append(_entry(root / "docs" / page, page))
    usual = [_titled(name, lines) for name, lines in sections.items() if name not in _SPECIAL]
    rest = [line for name, lines in sections.items() if name in _SPECIAL for line in lines]
    return "\n\n".join([INDEX.strip(), *usual, _titled("Optional", rest)]) + "\n"


def _titled(title: str, lines: Iterable[str]) -> str:
    return "\n".join([f"## {title}", "", *lines])


def _pages(nav: str) -> Iterator[tuple[str, str]]:
    """Yield the section and the path of each page, in the order of the site's navigation."""
    section = ""
    for found in _SECTION.finditer(nav[nav.index("\nnav:") :]):
        section = found[1] or section
        if found[2]:
            yield section, found[2]


def _entry(path: Path, page: str) -> str:
    text = path.read_text("utf-8")
    title = _TITLE.search(text)
    assert title is not None, f"{page} has no title"
    paragraphs = (part.strip() for part in _CODE.sub("", text[title.end() :]).split("\n\n"))
    about = shorten(next((part for part in paragraphs if part and part[0] not in "<|#`[-!"), ""), 1_000)
    address = page.removesuffix("index.md") if page.endswith("index.md") else f"{page.removesuffix('.md')}/"
    told = f": {shorten(_first_sentence(about), _LONGEST)}" if about else ""
    return f"- [{title[1]}]({address}){told}"
