"""The built wheel in an environment of its own, alone and with a third-party package of primitives and a pack."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.support.golden import REPOSITORY

HOUSE = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "house-metrics"
        version = "2.1.0"
        [project.entry-points."scoring.primitives"]
        house = "house_metrics.primitives"
        [project.entry-points."scoring.packs"]
        house = "house_metrics"
        """,
    "house_metrics/__init__.py": "",
    "house_metrics/primitives.py": '''
        """Primitives of the house."""
        from __future__ import annotations
        from scoring.registry import primitive

        @primitive
        def shout(text: str, /, *, marks: int = 1) -> str:
            """Upper case with exclamation marks.

            Args:
                marks: How many.

            Examples:
                >>> shout("hi")
                'HI!'
            """
            return text.upper() + "!" * marks
        ''',
    "house_metrics/pack.yaml": """
        kind: pack
        name: house
        version: 2.1.0
        scorers:
          loud: house/shout(marks=3) | equal
        """,
}


def dedented(text: str) -> str:
    lines = text.strip("\n").splitlines()
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[margin:] for line in lines) + "\n"


def build(project: Path, target: Path) -> Path:
    """Build a wheel with the build tool of the test environment, without a network."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)],
        cwd=project,
        check=True,
        capture_output=True,
    )
    (wheel,) = target.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with our dependencies and nothing of this checkout."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False, symlinks=True)
    (site,) = folder.glob("lib/python*/site-packages")
    dependencies = Path(yaml.__file__).parents[1]  # where they really are, whichever folders lead there
    # A plain path file adds the folder but not what its own path files add, so the editable install stays out.
    (site / "dependencies.pth").write_text(f"{dependencies}\n")
    with zipfile.ZipFile(build(REPOSITORY, tmp_path_factory.mktemp("wheel"))) as wheel:
        wheel.extractall(site)
    return folder


def run(environment: Path, code: str) -> str:
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [str(environment / "bin" / "python"), "-c", code], capture_output=True, text=True, cwd=environment, env=clean
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_wheel_carries_specs_and_schemas(environment: Path) -> None:
    where = run(environment, "import scoring; print(scoring.__file__)")
    assert Path(where).is_relative_to(environment)
    code = (
        "import scoring, json; from scoring.format.shipped import data_folder; "
        "outcome = scoring.scorer('megabench@1:near_str_match').score('The Café', 'cafe'); "
        "print(json.dumps([outcome.value, sorted(p.name for p in data_folder('schemas').iterdir())]))"
    )
    value, schemas = json.loads(run(environment, code))
    assert value == 1.0
    assert {"task.schema.json", "definitions.schema.json", "conformance.schema.json"} <= set(schemas)


def test_recipes_are_found_where_the_wheel_is_installed(environment: Path) -> None:
    code = (
        "import scoring; names = {one['name'] for one in scoring.specs.listing(about='rouge of summaries').to_json()}; "
        "print('rouge' in names, 'rouge@1' in names, 'variant=' in scoring.explain('rouge@1').text())"
    )
    assert run(environment, code) == "True True True"


def test_the_command_runs_on_shipped_data(environment: Path) -> None:
    code = (
        "from scoring.format.shipped import data_folder; from scoring.cli.main import main; "
        "folder = data_folder('specs') / 'quickstart'; "
        "raise SystemExit(main(['score', str(folder / 'invoices.yaml'), str(folder / 'invoices.jsonl')]))"
    )
    assert "quickstart/invoices 1.0.0  12 records" in run(environment, code)


def test_the_shipped_cases_of_the_specification_are_run(environment: Path) -> None:
    code = "from scoring.cli.main import main; raise SystemExit(main(['conformance', '--rule', 'R-3']))"
    assert run(environment, code).endswith("of 2 rules: all as stated")


def test_the_quickstart_and_every_recipe_are_to_be_had(environment: Path, tmp_path: Path) -> None:
    """With their data and a README, at the names that the documentation says, and scored as they lie there."""
    code = (
        "import os, scoring; from scoring.extensions.authoring.starting import starters; "
        f"os.chdir({str(tmp_path)!r}); "
        "written = [scoring.specs.new_from(name, name.replace('@', '/')) for name in starters()]; "
        "bare = [paths[0].name for paths in written if len(paths) < 3]; "
        "run = scoring.evaluate('wer/1/wer.yaml', 'wer/1/wer.jsonl'); "
        "links = {line for paths in written for line in paths[0].read_text().splitlines() if '$schema' in line}; "
        "print(len(written), bare, run.coverage, sorted(links))"
    )
    count, bare, coverage, links = run(environment, code).split(maxsplit=3)
    recipes = len([*(REPOSITORY / "specs" / "cookbook").glob("*.yaml")])
    assert (int(count), bare, coverage) == (recipes + 4, "[]", "1.0")
    kinds = ("suite", "task")
    assert links == str([f"# yaml-language-server: $schema=.scoring/schemas/{kind}.schema.json" for kind in kinds])


def test_primitives_and_packs_of_an_installed_package(environment: Path, tmp_path: Path) -> None:
    project = tmp_path / "house"
    for name, text in HOUSE.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedented(text))
    (site,) = environment.glob("lib/python*/site-packages")
    with zipfile.ZipFile(build(project, tmp_path / "dist")) as wheel:
        wheel.extractall(site)
    code = (
        "import scoring; "
        "print(scoring.scorer('house/shout(marks=2) | equal').score('hi', 'HI').value, "
        "scoring.scorer('house@>=2,<3:loud').score('hi', 'HI').value, "
        "scoring.load({'kind': 'task', 'name': 't', 'imports': {'h': 'house@2'}, 'score': 'h.loud'}).signature)"
    )
    first, second, signature = run(environment, code).split(maxsplit=2)
    assert (first, second) == ("1.0", "1.0")
    assert "|packs:house 2.1.0|" in signature
