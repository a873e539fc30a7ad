"""Requirements of a pack that others build on: documentation, sources, passing examples, nothing unused."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.compiler.checks.definitions import is_private
from scoring.compiler.programs.program import Program, primitives_of
from scoring.compiler.tasks.checking import check_spec
from scoring.diagnostics.diagnostic import Diagnostic, diagnostic
from scoring.diagnostics.words import listed
from scoring.extensions.audit.pairs import audit_pack
from scoring.extensions.audit.verdict import audit_data
from scoring.extensions.authoring.formatting import format_text, not_formatted
from scoring.extensions.examples.running import run_examples
from scoring.extensions.sharing.release.versions import Definitions, Edition
from scoring.format.definitions import Definition
from scoring.format.load import Loaded
from scoring.format.model import Pack
from scoring.project.versions import parse_version


def pack_findings(new: Edition, old: Edition | None, version: str) -> Iterator[Diagnostic]:
    """Yield a finding for everything that must or should be fixed in a pack before its release; the pack must compile.

    Args:
        new: The version to release.
        old: The last release; None for a first release.
        version: The version number of the release.
    """
    pack = new.loaded.spec
    assert isinstance(pack, Pack)
    yield from check_spec(new.loaded, new.loader)
    yield from incomplete(pack, Definitions(new))
    yield from (tried.finding() for tried in run_examples(new.loaded, new.loader) if tried.problem is not None)
    yield from _deprecations(pack, old.loaded.spec if old is not None else None, version)
    yield from _exceptions(new)
    yield from _unformatted(new.loaded)


def incomplete(pack: Pack, compiled: Definitions) -> Iterator[Diagnostic]:
    """Yield a finding for each missing description, source and example of a pack and of its public definitions that are
    not deprecated.

    Args:
        pack: The pack.
        compiled: Its definitions, compiled.
    """
    if not pack.doc.strip():
        yield _lacks("the pack has no `doc`", pack, ["say in a sentence what it is for"])
    for one in pack.definitions.values():
        if is_private(one) or one.deprecated is not None:
            continue
        lacks = {}
        if not one.doc.strip():
            lacks["doc"] = "what it gives, and when one takes it"
        if not one.source.strip():
            lacks["source"] = "the paper or the code that has the rule, or who decided it and why"
        if not one.examples and _takes_examples(one, compiled):
            lacks["example"] = "`examples: [[prediction, reference, score]]`"
        if lacks:
            help = [f"{what}: {advice}" for what, advice in lacks.items()]
            yield _lacks(f"`{one.name}` has no {listed(list(lacks))}", one, help)


def _lacks(message: str, what: Pack | Definition, advice: list[str]) -> Diagnostic:
    return diagnostic("error", "release-incomplete", message, what.span, help=advice)


# Effects, and libraries that need models of several gigabytes.
_NOT_EVERYWHERE = {"judge", "programs", "torch", "transformers", "unbabel-comet", "bert-score"}


def _takes_examples(one: Definition, compiled: Definitions) -> bool:
    """Return True if examples of a definition can run on any machine: it is no metric, and needs no judge, program or
    large model.

    Args:
        one: The definition.
        compiled: All definitions of the pack.
    """
    program = compiled.program(one.name, {})
    if one.role == "metric" or not isinstance(program, Program):
        return False
    return not any(_NOT_EVERYWHERE.intersection(primitive.uses) for primitive in primitives_of([program]))


def _deprecations(pack: Pack, old: object, version: str) -> Iterator[Diagnostic]:
    """Yield a finding for each deprecation new in this version whose `since` is a later version, or a version that was
    released without it.

    Args:
        pack: The pack to release.
        old: The last release; None for a first release.
        version: The version number of the release.
    """
    before = old if isinstance(old, Pack) else None
    for name, one in pack.definitions.items():
        known = before.definitions.get(name) if before is not None else None
        if one.deprecated is None or (known is not None and known.deprecated == one.deprecated):
            continue
        since, was = one.deprecated.since, known is not None and known.deprecated is not None
        if parse_version(since) > parse_version(version):
            message = f"`{name}` is deprecated since {since}, and this is {version}"
        elif before is not None and not was and parse_version(since) <= parse_version(before.version):
            message = f"`{name}` was not deprecated in {before.version} yet, and `since` says {since}"
        else:
            continue
        yield diagnostic("error", "bad-value", message, one.span, help=f"write `since: {version}`")


def _exceptions(new: Edition) -> Iterator[Diagnostic]:
    """Yield a warning for each exception from a law of audits (a property that scores must have) in a pack, if the law
    holds on every example."""
    audits = audit_pack(new.loaded, new.loader)
    for idle in audit_data(audits)["idle"]:
        message = f"the exception from `{idle['law']}` in {idle['place']} is idle: the law holds on every example"
        advice = "remove it, or add the example that it is for"
        yield diagnostic("warning", "release-idle-exception", message, new.loaded.spec.span, help=advice)


def _unformatted(loaded: Loaded) -> Iterator[Diagnostic]:
    span = loaded.spec.span
    assert span is not None, "a file that was loaded knows where its name stands"
    source = span.source
    after = format_text(source.text, source.name)
    if after != source.text:
        yield not_formatted(source.text, after, source.name)
