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
from scoring.registry.extension import find_service


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
    """Return an error about the text of a file with all findings about the rest of the file added, if the extension
    that looks for them is installed."""
    more = find_service("findings-in-rest") if error.load is not None else None
    found: SpecError = error if more is None else more(error, loader)
    return found
