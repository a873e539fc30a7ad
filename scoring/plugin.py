"""The public names for authors of plug-ins; only these import paths are stable from release to release.

A plug-in is declared as an entry point of a package; CONTRIBUTING.md lists the groups and the objects they expect.
Names of extensions, such as ``Dialects``, are plug-ins as in a room of the API, and missing without the extension.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scoring.api.room import room

if TYPE_CHECKING:
    from scoring.api.arguments import verb as verb
    from scoring.api.result import Result as Result
    from scoring.cli.arguments import argument as argument
    from scoring.cli.arguments import command as command
    from scoring.cli.console import Console as Console
    from scoring.cli.options import Verb as Verb
    from scoring.data.file_format import FileFormat as FileFormat
    from scoring.data.rows.row import Row as Row
    from scoring.errors import InputError as InputError
    from scoring.extensions.dialects.comparing import Dialects as Dialects
    from scoring.extensions.suites.exports import Export as Export
    from scoring.format.front_ends import FrontEnd as FrontEnd
    from scoring.format.front_ends import written as written
    from scoring.format.keys import SpecSection as SpecSection
    from scoring.format.keys import ValueForm as ValueForm
    from scoring.registry import Aggregator as Aggregator
    from scoring.registry import AtLeast as AtLeast
    from scoring.registry import AtMost as AtMost
    from scoring.registry import Between as Between
    from scoring.registry import FieldScores as FieldScores
    from scoring.registry import PairScorer as PairScorer
    from scoring.registry import RecordPath as RecordPath
    from scoring.registry import Scorer as Scorer
    from scoring.registry import Transform as Transform
    from scoring.registry import batch as batch
    from scoring.registry import bounds as bounds
    from scoring.registry import checks as checks
    from scoring.registry import explains as explains
    from scoring.registry import primitive as primitive
    from scoring.registry import table as table
    from scoring.registry import variants as variants
    from scoring.registry.effect import EffectAgain as EffectAgain
    from scoring.registry.effect import EffectProvider as EffectProvider
    from scoring.registry.spec_kind import SpecKind as SpecKind
    from scoring.registry.table_kind import TableKind as TableKind
    from scoring.report.document import Document as Document
    from scoring.report.document import DocumentTable as DocumentTable
    from scoring.report.document import Headline as Headline
    from scoring.report.document import Paragraph as Paragraph
    from scoring.report.document import Section as Section
    from scoring.report.document import TableColumn as TableColumn
    from scoring.report.document import Title as Title
    from scoring.result import NotApplicable as NotApplicable
    from scoring.result import Unparsed as Unparsed
    from scoring.result import Unscored as Unscored
    from scoring.statistics.rows import Rows as Rows
    from scoring.statistics.statistic import Statistic as Statistic
    from scoring.statistics.statistic import divide as divide
    from scoring.statistics.statistic import of_sums as of_sums
    from scoring.values import Score as Score

_HOMES = {
    "scoring.api.result": ("Result",),
    "scoring.api.arguments": ("verb",),
    "scoring.cli.arguments": ("argument", "command"),
    "scoring.cli.options": ("Verb",),
    "scoring.cli.console": ("Console",),
    "scoring.data.file_format": ("FileFormat",),
    "scoring.data.rows.row": ("Row",),
    "scoring.errors": ("InputError",),
    "scoring.format.front_ends": ("FrontEnd", "written"),
    "scoring.format.keys": ("SpecSection", "ValueForm"),
    "scoring.registry": (
        "Aggregator",
        "AtLeast",
        "AtMost",
        "Between",
        "FieldScores",
        "PairScorer",
        "RecordPath",
        "Scorer",
        "Transform",
        "batch",
        "bounds",
        "checks",
        "explains",
        "primitive",
        "table",
        "variants",
    ),
    "scoring.registry.effect": ("EffectAgain", "EffectProvider"),
    "scoring.registry.spec_kind": ("SpecKind",),
    "scoring.registry.table_kind": ("TableKind",),
    "scoring.report.document": (
        "Document",
        "DocumentTable",
        "Headline",
        "Paragraph",
        "Section",
        "TableColumn",
        "Title",
    ),
    "scoring.result": ("NotApplicable", "Unparsed", "Unscored"),
    "scoring.statistics.rows": ("Rows",),
    "scoring.statistics.statistic": ("Statistic", "divide", "of_sums"),
    "scoring.values": ("Score",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_of_extensions, _extension_name, _ = room("plugin")

__all__ = sorted((*_HOME_OF, *_of_extensions))


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    return _extension_name(name) if home is None else getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
