"""What a site shows, as plain values: gathered once (`api/site`), drawn by the files beside this one.

A target is where a link leads: the path of a page from the root of the site, perhaps with an anchor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from scoring.late import dataclass

NO_TARGET = ""


@dataclass(frozen=True, slots=True)
class ExpressionMark:
    """A part of an expression: what it is, and where its name leads."""

    start: int
    end: int
    look: str
    target: str = NO_TARGET
    title: str = ""


@dataclass(frozen=True, slots=True)
class ShownExpression:
    """An expression in its canonical text, with its parts in the order in which they stand."""

    text: str
    marks: tuple[ExpressionMark, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteLink:
    """A name and where it leads; what is said beside it."""

    name: str
    target: str = NO_TARGET
    beside: str = ""


@dataclass(frozen=True, slots=True)
class ShownParameter:
    """A parameter: what it takes, its default, what it does."""

    name: str
    takes: str
    default: str
    doc: str
    anchor: str = ""
    is_required: bool = False
    is_pipeline: bool = False


@dataclass(frozen=True, slots=True)
class ShownExample:
    """An example that was run when the site was built.

    Args:
        given: What it gives: prediction, reference, record …
        expect: What it states.
        gave: What came of it, in a line; "" where it was not run.
        stages: How, stage by stage, as `explain` tells it.
        not_run: Why it was not run.
        tree: The story of a whole record, in place of stages.
    """

    given: Mapping[str, Any]
    expect: Any
    gave: str = ""
    stages: tuple[Mapping[str, Any], ...] = ()
    not_run: str = ""
    tree: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ShownDefinition:
    """A definition of a pack or of a task."""

    name: str
    role: str
    anchor: str
    doc: str
    expression: ShownExpression | None
    expanded: ShownExpression | None
    program: tuple[str, ...]
    params: tuple[ShownParameter, ...]
    gives: tuple[str, ...]
    examples: tuple[ShownExample, ...]
    source: str
    deprecated: Mapping[str, str]
    replaced_by: ShownExpression | None
    used_by: tuple[SiteLink, ...]
    effects: tuple[str, ...]
    meaning: str
    line: str
    reads_reference: bool = True
    key: str = ""

    @property
    def is_private(self) -> bool:
        """Whether it is for its own pack alone."""
        return self.name.startswith("_")


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version of a pack on this site, and what it moved against the one before."""

    version: str
    target: str
    against: str = ""
    moved: tuple[str, ...] = ()
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class DialectTable:
    """The scorers of a family beside each other, on probes.

    Args:
        names: The scorers, the one that the others are held against first.
        docs: What each is.
        rows: What is probed, the prediction, the reference, and each score.
    """

    names: tuple[SiteLink, ...]
    docs: tuple[str, ...]
    rows: tuple[tuple[str, str, str, tuple[float | None, ...]], ...]


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part of a task: its name, what it is, what else is said of it, and further expressions by what they are."""

    name: str
    expression: ShownExpression | None = None
    text: str = ""
    beside: tuple[str, ...] = ()
    anchor: str = ""
    links: tuple[SiteLink, ...] = ()
    more: tuple[tuple[str, ShownExpression], ...] = ()
    doc: str = ""


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A pack, a task or a suite.

    Args:
        kind: pack, task or suite.
        facts: What stands in its head: digest, signature, requirements …
        parts: What a task is made of, by heading.
        imports: The packs it imports.
        used_by: Who imports it.
        text: The file itself, of a task, which people copy and change.
        topic: What is scored, of a recipe of the cookbook.
    """

    kind: str
    name: str
    version: str
    doc: str
    page: str
    facts: tuple[tuple[str, str], ...] = ()
    imports: tuple[SiteLink, ...] = ()
    requires: tuple[str, ...] = ()
    used_by: tuple[SiteLink, ...] = ()
    definitions: tuple[ShownDefinition, ...] = ()
    parts: tuple[tuple[str, tuple[ShownPart, ...]], ...] = ()
    examples: tuple[ShownExample, ...] = ()
    dialects: DialectTable | None = None
    versions: tuple[ShownVersion, ...] = ()
    changelog: str = ""
    import_line: str = ""
    deprecated: Mapping[str, str] = field(default_factory=dict)
    is_imported: bool = False
    text: str = ""
    topic: str = ""

    @property
    def title(self) -> str:
        """Its name with its version, where it has one."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class SitePrimitive:
    """A primitive with who uses it on this site.

    Args:
        data: It as plain data, as `scoring explain` shows it.
        examples: Each example: what is asked, and what stands below it.
        ran: Whether they were run when the site was built, or why not.
    """

    data: Mapping[str, Any]
    page: str
    examples: str
    ran: str
    range: str
    used_by: tuple[SiteLink, ...]
    others: tuple[SiteLink, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteContent:
    """All of a site.

    Args:
        index: What is searched, see `search.py`.
        names: Where the names that stand in texts lead: primitives.
        serving: Whether a server runs definitions for the box.
    """

    title: str
    files: tuple[SiteFile, ...]
    primitives: tuple[SitePrimitive, ...]
    topics: Mapping[str, str]
    index: Mapping[str, Any]
    names: Mapping[str, str]
    made_by: str
    serving: bool = False
