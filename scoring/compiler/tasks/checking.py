"""Check specs and definitions without making a task that runs."""

from __future__ import annotations

from scoring.compiler.checks.definitions import check_idle, compile_definition
from scoring.compiler.checks.link import Linker, check_deprecated
from scoring.compiler.checks.lint import check_imports
from scoring.compiler.checks.required import missing, undeclared
from scoring.compiler.checks.resolve import Resolver
from scoring.compiler.checks.unused_steps import check_unused_steps
from scoring.compiler.programs.messages import Findings
from scoring.compiler.tasks.named_sources import check_value_names
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.format.load import Loaded, Loader
from scoring.format.model import Pack, TaskSpec


def check_spec(loaded: Loaded, loader: Loader) -> tuple[Diagnostic, ...]:
    """Return every finding about a spec of any kind; errors in it do not raise."""
    if isinstance(loaded.spec, TaskSpec):
        from scoring.compiler.tasks.compile import findings_of_task  # what a pack needs nothing of

        return findings_of_task(loaded, loader)
    findings = Findings()
    scope = Linker(loader, findings).scope(loaded)
    if isinstance(loaded.spec, Pack):
        resolver = Resolver(findings)
        check_value_names(loaded.spec, findings)
        resolver.computed.declared(scope)
        programs = [compile_definition(definition, scope, resolver) for definition in loaded.spec.definitions.values()]
        if not findings.diagnostics.has_errors:
            check_unused_steps(loaded.spec, programs, findings)
        check_imports(loaded.spec, scope, findings)
        check_idle(loaded.spec, findings)
        findings.diagnostics.extend((*missing(loaded.spec), *undeclared(loaded.spec)))
        check_deprecated(loaded, scope, loader, resolver)
    return findings.diagnostics.sorted()


def and_the_rest(error: SpecError, loader: Loader) -> SpecError:
    """Return an error about the text of a file with all findings about the rest of the file added."""
    from scoring.format.rest import Rest

    found, rests, wrong = [*error.diagnostics], list[Rest](), error
    for _ in range(_ROUNDS):
        if wrong.load is None:
            break
        node, load = wrong.load
        rests.append(Rest(node, wrong.diagnostics))
        if rests[-1].node is None:
            break
        try:
            more, left = check_spec(load(rests[-1].node), loader), None
        except SpecError as again:
            more, left = again.diagnostics, again
        found += [one for one in more if not any(rest.is_echo(one) for rest in rests)]
        if left is None:
            break
        wrong = left
    return SpecError(found)


_ROUNDS = 8  # what is left of a file may lack what it needs, and so on
