"""What a pack says of what others should no longer use: since when, why, and what stands in its place."""

from __future__ import annotations

from scoring.format.forms import PIPELINE, TEXT, text, version_text
from scoring.format.keys import key
from scoring.lang.tree import Pipeline
from scoring.late import dataclass
from scoring.project import versions

_SINCE = f"{versions.MEANING}, from which on it is deprecated."
_WHY = "Why, for people; importers see it."


@dataclass(frozen=True, slots=True)
class DefinitionDeprecation:
    """What stands in the place of a definition."""

    instead: Pipeline = key(
        PIPELINE,
        "What to use in its place, in the words of this pack: an expression, in which its parameters may stand.",
        name="for",
        required=True,
    )
    since: str = key(version_text(), _SINCE, required=True)
    why: str = key(TEXT, _WHY, default="", prose=True)


@dataclass(frozen=True, slots=True)
class PackDeprecation:
    """Which pack stands in the place of a whole pack."""

    instead: str = key(
        text(pattern=r"^\w[\w/-]*(@.+)?$", maxLength=200, examples=["close@2"]),
        "The pack to import in its place, by name and version; it has the definitions under the same names.",
        name="for",
        required=True,
    )
    since: str = key(version_text(), _SINCE, required=True)
    why: str = key(TEXT, _WHY, default="", prose=True)
