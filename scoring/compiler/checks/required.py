"""Checks of what a pack requires: distributions that are not installed, and those that it uses but does not name."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.compiler.checks.lint import expressions_of
from scoring.diagnostics.diagnostic import Diagnostic, Label, diagnostic
from scoring.diagnostics.source import Span
from scoring.format.model import Pack
from scoring.format.requirements import Requirement
from scoring.lang.tree import Call, walk
from scoring.registry import registry


def missing(pack: Pack, span: Span | None = None) -> Iterator[Diagnostic]:
    """Yield a finding for each distribution required by a pack that is not installed, or not in a version that fits; it
    is located at ``span``, by default at the requirement."""
    for one in pack.requires:
        installed = one.installed()
        if installed is not None and one.fits(installed):
            continue
        is_there = "which is not installed" if installed is None else f"but {installed} is installed"
        yield diagnostic(
            "error",
            "missing-distribution",
            f"`{pack.name}` needs the distribution `{one}`, {is_there}",
            span or one.span,
            secondary=[Label(one.span, "required here")] if span is not None and one.span is not None else [],
            help=f"install it if you trust its code: pip install '{one}'",
        )


def undeclared(pack: Pack) -> Iterator[Diagnostic]:
    """Yield a finding for each distribution whose primitives a pack uses without requiring the distribution."""
    known = {one.plain_name for one in pack.requires}
    for _, pipeline in expressions_of(pack):
        for node in walk(pipeline):
            # What others bring is called `package/name`.
            if not isinstance(node, Call) or "/" not in node.name:
                continue
            primitive = registry.get(node.name) or registry.metric(node.name)
            if primitive is None or primitive.distribution is None:
                continue
            distribution = primitive.distribution
            plain = Requirement(distribution.name).plain_name
            if plain in known:
                continue
            known.add(plain)
            wanted = f"{distribution.name}>={distribution.version}"
            yield diagnostic(
                "warning",
                "undeclared-distribution",
                f"`{node.name}` is a primitive of `{distribution.name}`, which the pack does not require",
                node.span,
                help=f"write it at the top of the pack: requires: [{wanted}]",
                note="whoever fetches the pack then knows what to install",
            )
