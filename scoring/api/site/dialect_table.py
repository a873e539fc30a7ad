"""The scorers of a family beside each other on the probes of their plug-in, as the site's own pack scores them."""

from __future__ import annotations

from scoring.api.dialects import Dialects, known
from scoring.api.site.places import SitePlaces
from scoring.compiler.compile import compile_definition
from scoring.compiler.resolve import Resolver
from scoring.compiler.run import ScorerRunner
from scoring.compiler.scope import Scope
from scoring.format.model import Pack
from scoring.project.versions import satisfies
from scoring.report.site.model import DialectTable, SiteLink


def dialect_table(pack: Pack, scope: Scope, places: SitePlaces) -> DialectTable | None:
    """The table of the family that a pack belongs to; None where it belongs to none, or lacks one of its scorers."""
    family = next((one for one in known() if _is_of(pack, one)), None)
    if family is None:
        return None
    resolver = Resolver()
    definitions = [pack.scorers[name] for name in family.scorers]
    runners = [ScorerRunner(compile_definition(one, scope, resolver)) for one in definitions]
    rows = tuple(
        (what, given, right, tuple(runner.outcome(given, [right], _NO_ROW).value for runner in runners))
        for what, given, right in family.probes
    )
    links = tuple(SiteLink(one.name, places.of_definition(one, scope)) for one in definitions)
    return DialectTable(links, tuple(family.scorers.values()), rows)


_NO_ROW: dict[str, object] = {"prediction": None, "reference": None, "context": None, "record": {}}


def _is_of(pack: Pack, family: Dialects) -> bool:
    name, _, version = family.pack.partition("@")
    fits = pack.name == name and (not version or satisfies(pack.version, version))
    return fits and bool(family.probes) and all(one in pack.scorers for one in family.scorers)
