"""Which page and which anchor everything on a site has; no name of a stranger becomes a path."""

from __future__ import annotations

import re
import unicodedata

from scoring.compiler.scope import Scope
from scoring.format.model import Definition
from scoring.registry.model import Primitive

_LONGEST = 60


def slug(name: str) -> str:
    """A name as a part of a path: small letters of ASCII, digits, `-` and `_`.

    Examples:
        >>> slug("house/../Word-Error_1"), slug("\\u202e"), slug("Größe")
        ('house-word-error_1', 'x', 'grosse')
    """
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9_]+", "-", plain)[:_LONGEST].strip("-") or "x"


class SitePlaces:
    """Gives out pages and anchors, each once; what asks first has the plain one."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._files: dict[tuple[str, str], str] = {}
        self._anchors: dict[tuple[str, str, str], str] = {}
        self._primitives: dict[str, str] = {}
        self.documented: set[str] = set()

    def file(self, folder: str, name: str, version: str, digest: str) -> str:
        """The page of a pack, a task or a suite."""
        key = (name, digest)
        if key not in self._files:
            wanted = f"{slug(name)}-{slug_of_version(version)}" if version else slug(name)
            self._files[key] = self._free(f"{folder}/{wanted}", ".html")
        return self._files[key]

    def definition(self, scope_key: tuple[str, str], name: str) -> str:
        """Where a definition, or another part of a file, stands; "" where its file has no page."""
        page = self._files.get(scope_key)
        if page is None:
            return ""
        key = (*scope_key, name)
        if key not in self._anchors:
            self._anchors[key] = self._free(f"{page}#{slug(name)}", "")
        return self._anchors[key]

    def of_definition(self, definition: Definition, own: Scope) -> str:
        """Where a definition stands that a scope knows."""
        return self.definition(own.key, definition.name)

    def primitive(self, primitive: Primitive) -> str:
        """The page of a primitive; a step and a data-set metric of one name stand on two."""
        key = f"{primitive.kind == 'metric'} {primitive.name}"
        if key not in self._primitives:
            folder = "metrics" if primitive.kind == "metric" else "primitives"
            self._primitives[key] = self._free(f"{folder}/{slug(primitive.name)}", ".html")
        return self._primitives[key]

    def _free(self, wanted: str, ending: str) -> str:
        found, number = f"{wanted}{ending}", 2
        while found in self._taken:
            found, number = f"{wanted}-{number}{ending}", number + 1
        self._taken.add(found)
        return found


def slug_of_version(version: str) -> str:
    """A version as a part of a path.

    Examples:
        >>> slug_of_version("1.0.0-rc.1")
        '1.0.0-rc.1'
    """
    return re.sub(r"[^a-z0-9.]+", "-", version.lower())[:_LONGEST].strip("-.") or "x"
