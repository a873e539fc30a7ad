"""A file `scoring.py` in the current folder hides the package: that is said in one line, and the command still runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SPEC, DATA = ROOT / "specs" / "quickstart" / "invoices.yaml", ROOT / "specs" / "quickstart" / "invoices.jsonl"


def python(folder: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    where = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", **env}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=where, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.fixture(params=["scoring.py", "scoring/__init__.py", "scoring/other.py"])
def hiding(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    file = tmp_path / request.param
    file.parent.mkdir(exist_ok=True)
    file.write_text("print('this is another module')\n")
    return file


def test_the_package_is_found_where_nothing_hides_it(tmp_path: Path) -> None:
    done = python(tmp_path, "-c", "from scoring_dsl import scoring; print(scoring.load.__module__)")
    assert (done.stdout, done.stderr) == ("scoring.api.tasks\n", "")


def test_what_hides_it_is_named_in_one_line(hiding: Path) -> None:
    folder = hiding.parent if hiding.name == "scoring.py" else hiding.parent.parent
    done = python(folder, "-c", "from scoring_dsl import scoring; print(scoring.load.__module__)")
    if hiding.name == "other.py":  # a folder without __init__.py hides no package
        assert (done.stdout, done.stderr) == ("scoring.api.tasks\n", "")
        return
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: {hiding.resolve()} hides the package `scoring` of scoring-dsl")
    assert last.endswith("rename it, or start Python with PYTHONSAFEPATH=1 (`python -P`)")
    assert done.stdout == ""  # the other module was not run
    done = python(
        folder, "-c", "import scoring\ntry: import scoring_dsl; scoring_dsl.scoring\nexcept ImportError: print(1)"
    )
    assert done.stdout == "this is another module\n1\n"
    safe = python(folder, "-c", "from scoring_dsl import scoring; print(scoring.load.__module__)", PYTHONSAFEPATH="1")
    assert safe.stdout == "scoring.api.tasks\n"


def test_the_command_runs_whatever_the_folder_holds(hiding: Path) -> None:
    folder = hiding.parent if hiding.name == "scoring.py" else hiding.parent.parent
    done = python(folder, "-m", "scoring_dsl", "score", str(SPEC), str(DATA))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("quickstart/invoices 1.0.0  12 records")
    assert "another module" not in done.stdout
