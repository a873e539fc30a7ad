"""Primitives as a site shows them, with their examples run and who uses them."""

from __future__ import annotations

import doctest
import importlib
from collections.abc import Mapping

from scoring.api.site.places import SitePlaces
from scoring.data.rows.row import InputError
from scoring.ranges import ScoreRange
from scoring.registry import registry
from scoring.registry.model import Primitive
from scoring.report.reference import primitive_data
from scoring.report.site.model import SiteLink, SitePrimitive

_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def shown_primitives(places: SitePlaces, users: Mapping[str, Mapping[str, SiteLink]]) -> list[SitePrimitive]:
    """All primitives but quirks that nothing on the site uses, by name.

    Args:
        places: The site.
        users: Who uses each target.

    Raises:
        InputError: when an example gives something else than stands below it.
    """
    found = []
    for one in registry:
        target = places.primitive(one)
        used_by = users.get(target, {})
        if one.is_quirk and not used_by:
            continue
        other = registry.get(one.name) if one.kind == "metric" else registry.metric(one.name)
        kind = "the step" if one.kind == "metric" else "the metric"
        others = (SiteLink(f"{kind} {one.name}", places.primitive(other)),) if other not in (None, one) else ()
        found.append(
            SitePrimitive(
                primitive_data(one),
                target,
                one.doc.examples,
                _ran(one),
                str(ScoreRange(*map(float, one.range))) if one.kind in _SCORES else "",
                tuple(sorted(used_by.values(), key=lambda link: (link.name, link.target))),
                others,
            )
        )
    return found


_SCORES = ("comparator", "rescorer", "aggregator")


_told: dict[str, str] = {}


def _ran(one: Primitive) -> str:
    """Whether the examples were run, once in a process: "" where they gave what they state, else why they were not."""
    if not one.doc.examples:
        return ""
    if one.location not in _told:
        _told[one.location] = _run(one)
    return _told[one.location]


def _run(one: Primitive) -> str:
    refused = [name for name in ("judge", "programs") if name in one.uses]
    if refused:
        return f"not run here: it uses `{refused[0]}`"
    # Names in examples are those of the module that declares it, whatever its function is wrapped in.
    module = importlib.import_module(one.function.__module__)
    test = doctest.DocTestParser().get_doctest(one.doc.examples, dict(vars(module)), one.name, None, 0)
    told: list[str] = []
    result = doctest.DocTestRunner(verbose=False, optionflags=_FLAGS).run(test, out=told.append)
    if not result.failed:
        return ""
    missing = [line for line in "".join(told).splitlines() if "pip install" in line or "is not installed" in line]
    if missing:
        return f"not run here: {missing[-1].strip()}"
    why = " ".join("".join(told).split())
    raise InputError(f"an example of the primitive `{one.name}` ({one.location}) fails: {why}")
