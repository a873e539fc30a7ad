"""Check and compile specs of any kind: tasks, packs, and files that join tasks, which extensions compile."""

from __future__ import annotations

from scoring.compiler.checks.definitions import compile_definition
from scoring.compiler.checks.link import Linker
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.identity.signature import Recipe, recipe
from scoring.compiler.programs.messages import Findings
from scoring.compiler.tasks.checking import check_spec
from scoring.compiler.tasks.compile import compile_task, packs_in
from scoring.diagnostics.diagnostic import Diagnostic
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec
from scoring.registry.spec_kind import spec_kind


def check_whole(loaded: Loaded, loader: Loader) -> tuple[Diagnostic, ...]:
    """Return every finding about a spec of any kind, including those about the tasks that it joins.

    Raises:
        InputError: when a file that the spec names can't be read.
    """
    if isinstance(loaded.spec, TaskSpec | Pack):
        return check_spec(loaded, loader)
    return tuple(spec_kind(loaded.spec.kind).check(loaded, loader.dialect))


def recipe_of(loaded: Loaded, loader: Loader) -> Recipe:
    """Return the parts of the signature of a task, of a pack with all its definitions, or of a file that joins tasks.

    Raises:
        SpecError: when the spec has errors.
        InputError: when a file that the spec names can't be read.
    """
    if isinstance(loaded.spec, TaskSpec):
        return compile_task(loaded, loader)[0].parts.recipe
    if not isinstance(loaded.spec, Pack):
        found: Recipe = spec_kind(loaded.spec.kind).compile(loaded, loader.dialect, {}).recipe
        return found
    findings = Findings()
    scope, resolver = Linker(loader, findings).scope(loaded), Resolver(findings)
    programs = [compile_definition(one, scope, resolver) for one in loaded.spec.definitions.values()]
    findings.diagnostics.raise_errors()
    return recipe(loaded.spec.name, loaded.spec.version, programs, packs_in(scope))
