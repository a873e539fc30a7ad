"""A program written out as one expression of primitives means what the definition means."""

from __future__ import annotations

import pytest

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.meaning import program_meaning
from scoring.compiler.programs.messages import Findings
from scoring.compiler.programs.program import Program
from scoring.compiler.programs.scope import Scope
from scoring.extensions.site.expanded import expanded
from scoring.format.definitions import Defining, DefinitionRole
from scoring.format.load import Loader
from scoring.lang.parser import parse_pipeline
from scoring.lang.printer import print_pipeline
from tests.support.golden import REPOSITORY

FILES = sorted((REPOSITORY / "specs").rglob("*.yaml"))


def definitions() -> list[tuple[str, DefinitionRole, Program]]:
    found = []
    for path in FILES:
        loader = Loader()
        loaded = loader.file(path)
        if not isinstance(loaded.spec, Defining):
            continue
        findings = Findings()
        scope = Linker(loader, findings).scope(loaded)
        for definition in loaded.spec.definitions.values():
            program = compile_definition(definition, scope, Resolver(findings))
            found.append((f"{loaded.spec.name}:{definition.name}", definition.role, program))
    return found


def of_items(program: Program) -> bool:
    """Whether it is made for the items of a list: alone it is no whole program."""
    return any(path.root == "item" for node in program.all_nodes() for path in node.dynamic.values())


def test_every_shipped_definition_means_the_same_when_it_is_written_out() -> None:
    tried = 0
    for name, role, program in definitions():
        if of_items(program):
            continue
        tree = expanded(program)
        assert tree is not None, name
        again = Resolver(Findings()).in_role(role, parse_pipeline(print_pipeline(tree)), Scope())
        assert program_meaning(again) == program_meaning(program), name
        tried += 1
    assert tried > 250


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("lower | equal", "lower | equal"),
        ("cutoff_is_default | equal", None),
        ("sides(prediction=lower) | equal", "sides(prediction=lower) | equal"),
        ("any_of(equal, lower | equal)", "any_of(equal, lower | equal)"),
        ("number | within(relative=0.01)", "number | within(relative=0.01)"),
    ],
)
def test_an_expression_of_primitives_stays_as_it_is(written: str, shown: str | None) -> None:
    findings = Findings()
    program = Resolver(findings).in_role("scorer", parse_pipeline(written), Scope())
    if shown is None:
        assert findings.diagnostics.has_errors
        return
    tree = expanded(program)
    assert tree is not None
    assert print_pipeline(tree) == shown
