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
    """An example that was run when the site was built."""

    given: Mapping[str, Any]  # what it gives: prediction, reference, record …
    expect: Any  # what it states
    gave: str = ""  # what came of it, in a line; "" where it was not run
    stages: tuple[Mapping[str, Any], ...] = ()  # how, stage by stage, as `explain` tells it
    not_run: str = ""  # why it was not run
    tree: Mapping[str, Any] | None = None  # the story of a whole record, in place of stages


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
    """The scorers of a family beside each other, on probes."""

    names: tuple[SiteLink, ...]  # the scorers, the one that the others are held against first
    docs: tuple[str, ...]  # what each is
    # What is probed, the prediction, the reference, and each score.
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
    """A pack, a task or a suite."""

    kind: str  # pack, task or suite
    name: str
    version: str
    doc: str
    page: str
    facts: tuple[tuple[str, str], ...] = ()  # what stands in its head: digest, signature, requirements …
    imports: tuple[SiteLink, ...] = ()  # the packs it imports
    requires: tuple[str, ...] = ()
    used_by: tuple[SiteLink, ...] = ()  # who imports it
    definitions: tuple[ShownDefinition, ...] = ()
    parts: tuple[tuple[str, tuple[ShownPart, ...]], ...] = ()  # what a task is made of, by heading
    examples: tuple[ShownExample, ...] = ()
    dialects: DialectTable | None = None
    versions: tuple[ShownVersion, ...] = ()
    changelog: str = ""
    import_line: str = ""
    deprecated: Mapping[str, str] = field(default_factory=dict)
    is_imported: bool = False
    text: str = ""  # the file itself, of a task, which people copy and change
    topic: str = ""  # what is scored, of a recipe of the cookbook

    @property
    def title(self) -> str:
        """Its name with its version, where it has one."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class SitePrimitive:
    """A primitive with who uses it on this site."""

    data: Mapping[str, Any]  # it as plain data, as `scoring explain` shows it
    page: str
    examples: str  # each example: what is asked, and what stands below it
    ran: str  # whether they were run when the site was built, or why not
    range: str
    used_by: tuple[SiteLink, ...]
    others: tuple[SiteLink, ...] = ()


@dataclass(frozen=True, slots=True)
class SiteContent:
    """All of a site."""

    title: str
    files: tuple[SiteFile, ...]
    primitives: tuple[SitePrimitive, ...]
    topics: Mapping[str, str]
    index: Mapping[str, Any]  # what is searched, see `search.py`
    names: Mapping[str, str]  # where the names that stand in texts lead: primitives
    made_by: str
    serving: bool = False  # whether a server runs definitions for the box
