"""The key `requires`: Python distributions that a pack needs, with ranges of their versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from scoring.diagnostics.source import Span
from scoring.format import forms
from scoring.format.keys import ReadsValues, ValueForm
from scoring.format.nodes import SpecNode
from scoring.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?"
_CLAUSE = r" *(?:~=|==|!=|<=|>=|<|>) *[0-9][0-9A-Za-z.*+!_-]{0,99} *"
_WRITTEN = rf"({_NAME})((?:{_CLAUSE}(?:,{_CLAUSE})*)?)"
REQUIREMENT = lazy_pattern(_WRITTEN)
LONGEST = 200
HOW = "a distribution with its version range, as in pip: `acme-metrics>=1.2`"


class Requirement(Struct, frozen=True):
    """A Python distribution that must be installed, with the range of its versions."""

    name: str
    version: str = ""
    span: Span | None = None

    def __str__(self) -> str:
        return f"{self.name}{self.version}"

    @property
    def plain_name(self) -> str:
        """The distribution's normalized name, which is equal for all spellings.

        Examples:
            >>> Requirement("Acme_Metrics").plain_name
            'acme-metrics'
        """
        from packaging.utils import canonicalize_name

        return str(canonicalize_name(self.name))

    def installed(self) -> str | None:
        """Return the distribution's installed version, None if it is not installed."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version(self.name)
        except (PackageNotFoundError, ValueError):
            return None

    def fits(self, version: str) -> bool:
        """Return whether a version satisfies the requirement.

        Examples:
            >>> Requirement("acme", ">=1.2,<2").fits("1.10"), Requirement("acme", ">=1.2").fits("1.1")
            (True, False)
        """
        from packaging.version import InvalidVersion

        try:
            return bool(version_range(self.version).contains(version, prereleases=True))
        except InvalidVersion:
            return False


def version_range(text: str) -> SpecifierSet:
    """Return a range of versions; raise InvalidSpecifier if the text is not one."""
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(text)


def _requirements(building: ReadsValues, node: SpecNode) -> Iterator[Requirement]:
    from packaging.specifiers import InvalidSpecifier

    seen: dict[str, Requirement] = {}
    for item in forms.items_of(node):
        found = REQUIREMENT.fullmatch(str(item.value))
        if found is None:  # reported by the schema
            continue
        one = Requirement(found[1], found[2].replace(" ", ""), item.span)
        try:
            version_range(one.version)
        except InvalidSpecifier:
            building.diagnostics.error(
                "bad-text", f"`{one}` is not a range of versions", item.span, help=f"write {HOW}"
            )
            continue
        if seen.setdefault(one.plain_name, one) is not one:
            building.diagnostics.error(
                "repeated-item", f"`{one.name}` is listed twice", item.span, help="write one range with commas"
            )
            continue
        yield one


REQUIREMENTS = ValueForm(
    lambda kind: {
        "type": "array",
        "items": {
            "type": "string",
            "pattern": f"^{_WRITTEN.replace('(?:', '(')}$",
            "maxLength": LONGEST,
            "examples": ["acme-metrics>=1.2"],
        },
    },
    lambda building, node: tuple(_requirements(building, node)),
)
