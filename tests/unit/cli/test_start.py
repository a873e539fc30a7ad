"""What a short command imports: modules are counted here and not seconds, which depend on the machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SPECS = Path(__file__).resolve().parents[3] / "specs"

# What no command needs that only looks at files, or scores a few records.
HEAVY = {"scipy", "pyarrow", "pandas", "httpx", "sqlite3", "multiprocessing"}
HEAVY |= {"email", "importlib.metadata", "concurrent.futures", "unittest", "numpy.ma", "numpy.testing"}
ARRAYS = {"rapidfuzz", "orjson", "csv"}
# What a spec pays for that uses it: fields that are formulas, `each`, `combine`, metrics that are formulas.
NEW = {"tasks.formula_fields", "running.items", "tasks.accumulate", "formulas.formula_metric", "running.values_run"}
NEW = {f"scoring.compiler.{name}" for name in NEW} | {"scoring.data.json_write"}
# What a check does not need, since nothing runs.
RUNS = {"scoring.compiler.tasks.task", "scoring.compiler.tasks.aggregate_record", "scoring.compiler.identity.lock"}
# What only a project has: a file, a lock, a store, sources.
PROJECT = {"scoring.format.locked", "scoring.extensions.sharing"} | {
    f"scoring.project.{name}" for name in ("file", "lock", "project", "store")
}
ROOMS = {
    "scoring.engine",
    "scoring.extensions.judge.asking",
    "scoring.extensions.reference",
    "scoring.extensions.vision",
    "scoring.extensions.sandbox",
    "scoring.extensions.columns",
    "scoring.report.document",
}


def imported(*arguments: str) -> set[str]:
    """The modules that are there when a command has ended."""
    code = (
        "import sys; from scoring.cli.main import main; code = main(sys.argv[1:]); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def ours(modules: set[str]) -> list[str]:
    return [name for name in modules if name.startswith("scoring.")]


def test_help_imports_nothing_of_a_spec() -> None:
    modules = imported("--help")
    assert not modules & (
        HEAVY | ARRAYS | ROOMS | {"yaml", "numpy", "lark", "jmespath", "scoring.format", "scoring.lang"}
    )
    assert len(ours(modules)) <= 18


def check_what_is_imported(spec: str, most: int) -> None:
    """Given a pack of many definitions, when a task that uses one is checked, then what the others use stays unread.

    Every task has metrics, and most have a formula under `pass`: the files that compile these two count in the limits,
    and so do those that look for a project, those of the keys of a pack, of kinds of files and of extensions, and the
    compiler's rooms. What a project has locked stays unread.
    """
    modules = imported("check", str(SPECS / spec))
    assert not modules & (HEAVY | ARRAYS | ROOMS | NEW | RUNS | PROJECT)
    assert len(ours(modules)) <= most


@pytest.mark.parametrize(("spec", "most"), [("quickstart/invoices.yaml", 158)])
def test_a_check_imports_what_the_spec_names(spec: str, most: int) -> None:
    check_what_is_imported(spec, most)
