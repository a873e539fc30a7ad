"""The verb that runs the examples of spec files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scoring.api.arguments import verb
from scoring.api.locked import check_frozen, locked_findings
from scoring.api.specs import Checked, Names, check_dialect_used, spec_files
from scoring.diagnostics.diagnostic import Diagnostic, SpecError
from scoring.extensions.examples.running import Tried, run_examples
from scoring.format.load import Loader


@verb
def test(  # a verb, no test of ours
    specs: Names,
    *,
    dialect: str | None = None,  # noqa: PT028  # likewise
    frozen: bool = False,  # noqa: PT028  # likewise
    only_specs: bool = False,  # noqa: PT028  # likewise
) -> Checked:
    """Run the examples in spec files; each example that fails is a finding of the result.

    Args:
        specs: Spec files, or folders of them: one path, or several.
        dialect: The dialect that defines the names in task files of other tools.
        frozen: Whether to require that the project's lock exists and matches the project file and the specs.
        only_specs: Whether to leave out files that don't declare a `kind` of spec, and folders of installed software
            (`.venv`, `node_modules`). A folder without specs is then no error, as in a repository that contains more
            than specs.

    Raises:
        InputError: when a folder contains no spec.

    Examples:
        >>> test("specs/quickstart/invoices.yaml").passed
        True
    """
    (files, skipped), loader = spec_files(specs, only_specs), Loader(dialect=dialect)
    if frozen:
        check_frozen(files)
    findings: list[Diagnostic] = []
    tried: dict[Path, Sequence[Tried]] = {}
    for file in files:
        try:
            loaded = loader.file(file, str(file))
            tried[file] = run_examples(loaded, loader)
            findings += locked_findings(loaded, file, loader, dialect, locked=None)
        except SpecError as error:
            findings.extend(error.diagnostics)
            continue
        findings.extend(result.finding() for result in tried[file] if result.problem is not None)
    check_dialect_used(loader, dialect, files, findings)
    return Checked(tuple(files), tuple(findings), sum(map(len, tried.values())), skipped=skipped, tried=tried)
