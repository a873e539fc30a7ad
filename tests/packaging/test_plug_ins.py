"""A third-party distribution, built and installed: everything that it brings is used through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.packaging.test_install import build, dedented
from tests.support.golden import REPOSITORY

PROJECT = {
    "pyproject.toml": """
        [build-system]
        requires = ["hatchling"]
        build-backend = "hatchling.build"
        [project]
        name = "house-benchmark"
        version = "2.1.0"
        [project.entry-points."scoring.primitives"]
        house = "house_benchmark.primitives"
        [project.entry-points."scoring.packs"]
        house = "house_benchmark"
        [project.entry-points."scoring.formats"]
        log = "house_benchmark.log_file:LOG"
        [project.entry-points."scoring.front_ends"]
        house = "house_benchmark.rubric:RUBRIC"
        [project.entry-points."scoring.exports"]
        house = "house_benchmark.board:BOARD"
        [project.entry-points."scoring.commands"]
        house = "house_benchmark.greeting:COMMANDS"
        [project.entry-points."scoring.verbs"]
        "runs.greeting" = "house_benchmark.greeting:greeting"
        [project.entry-points."scoring.effects"]
        weather = "house_benchmark.weather:WEATHER"
        [project.entry-points."scoring.sections"]
        bonus = "house_benchmark.sections:BONUS"
        moods = "house_benchmark.sections:MOODS"
        [project.entry-points."scoring.documents"]
        "summary.weather" = "house_benchmark.weather:weather_lines"
        [project.entry-points."scoring.forms"]
        titles = "house_benchmark.weather:titles"
        [project.entry-points."scoring.reports"]
        ids = "house_benchmark.weather:ids"
        """,
    "house_benchmark/__init__.py": "",
    "house_benchmark/primitives.py": '''
        """Primitives of the house."""
        from __future__ import annotations
        from scoring.plugin import Score, primitive

        @primitive(uses=("weather",))
        def forecast(prediction: str, reference: str, /) -> Score:
            """Score 1 where both say the same of the weather.

            Examples:
                >>> forecast("sun", "sun")
                1.0
            """
            return float(prediction == reference)

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
    "house_benchmark/pack.yaml": """
        kind: pack
        name: house
        version: 2.1.0
        scorers:
          loud: house/shout(marks=3) | equal
          plain: equal
        """,
    "house_benchmark/log_file.py": '''
        """Files of lines `id: response / reference`."""
        from scoring.plugin import FileFormat, Row

        def rows(file):
            with file.open() as stream:
                for number, line in enumerate(stream.read().decode().splitlines(), start=1):
                    key, _, rest = line.partition(": ")
                    response, _, reference = rest.partition(" / ")
                    yield Row(f"line {number}", {"id": key, "response": response, "reference": reference})

        LOG = FileFormat("log", "a log", (".log",), rows)
        ''',
    "house_benchmark/rubric.py": '''
        """The front end for files that have a rubric."""
        from scoring.plugin import FrontEnd, written

        def convert(node, name, dialect):
            score = f"house.{node['rubric'].value}"
            native = {"kind": "task", "name": name, "version": "1.0.0", "imports": {"house": "house@2"}, "score": score}
            return written(native, node.span)

        RUBRIC = FrontEnd(
            title="house rubric.json",
            lacks="it has no `rubric`",
            recognises=lambda node: "rubric" in node,
            convert=convert,
            dialects={"house": "as printed"},
            file_name="rubric.json",
            attributes=lambda data: {"rubric": data["rubric"]},
            groups={"noisy": {"rubric": "loud"}},
        )
        ''',
    "house_benchmark/board.py": '''
        """A suite's summary for the board of the house."""
        from scoring.plugin import Export

        def tasks(summary):
            return {group["group"]: group["counts"]["tasks"] for group in summary["groups"]}

        BOARD = Export("board.json", tasks)
        ''',
    "house_benchmark/greeting.py": '''
        """A command of the house, and its verb."""
        from scoring.plugin import InputError, argument, command, verb

        COMMANDS = {"greet": "greet somebody"}

        @verb
        def greeting(name: str) -> str:
            """Return a greeting."""
            if not name:
                raise InputError("whom? name somebody")
            return f"hello {name}"

        @command("greet", argument("name"))
        def _greet(options, console):
            console.print(greeting(options.name))
        ''',
    "house_benchmark/weather.py": '''
        """An effect of the house, how its account is drawn, a form of documents, and a report of findings."""
        from scoring.plugin import EffectProvider, Paragraph, Title

        def weather_lines(summary):
            yield Paragraph((f"the sun shone {summary['weather']['suns']} times",))

        def titles(document):
            return " / ".join(block.text for block in document.blocks if isinstance(block, Title))

        def ids(findings, tried, strict):
            return " ".join([*(one.id for one in findings), *map(str, tried.files), str(strict)])

        WEATHER = EffectProvider("weather", part=lambda: "sunny", account=lambda: lambda: {"weather": {"suns": 3}})
        ''',
    "house_benchmark/sections.py": '''
        """Keys of spec files that the house reads: a number, and scorers in words of its own."""
        from scoring.plugin import SpecSection, ValueForm

        BONUS = SpecSection(
            ("task", "field"),
            ValueForm(lambda kind: {"type": "number", "minimum": 0}, lambda building, node: node.plain()),
            "What every record gets on top.",
            moves="value",
        )
        MOODS = SpecSection(
            ("task", "pack"),
            ValueForm(
                lambda kind: {"type": "object", "additionalProperties": {"type": "string"}},
                lambda building, node: building.define("scorer", "score", node),
            ),
            "Scorers by mood.",
            moves="compiled",
        )
        ''',
}
TASK = """
    kind: task
    name: house/answers
    imports: {house: house@2}
    score: house.loud
    """
RECORD = '{"id": 1, "response": "hi", "reference": "HI!!!"}'
SUITE = """
    kind: suite
    name: house/all
    dialect: house
    tasks: tasks
    export: [house]
    """


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution installed, to be put on the path."""
    project, target = tmp_path_factory.mktemp("project"), tmp_path_factory.mktemp("target")
    for name, text in PROJECT.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedented(text))
    with zipfile.ZipFile(build(project, tmp_path_factory.mktemp("wheel"))) as wheel:
        wheel.extractall(target)
    return target


def scoring(installed: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    paths = os.pathsep.join([str(installed), str(REPOSITORY)])
    command = [sys.executable, "-m", "scoring", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, env={**os.environ, "PYTHONPATH": paths})


def python(installed: Path, folder: Path, code: str) -> str:
    paths = os.pathsep.join([str(installed), str(REPOSITORY)])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def written(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedented(text))


def test_a_task_uses_its_pack_its_primitive_and_its_format(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, task_yaml=TASK, data_log="a: hi / HI!!!\nb: hi / hi")
    done = scoring(installed, tmp_path, "score", "task.yaml", "data.log", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["metrics"][0]["value"] == 0.5
    assert "|packs:house 2.1.0|primitives:house-benchmark 2.1.0|" in summary["signature"]


def test_a_file_of_its_front_end_loads_as_it_is(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, chess__rubric_json='{"rubric": "loud"}', data_log="a: hi / HI!!!")
    done = scoring(installed, tmp_path, "score", "chess/rubric.json", "data.log", "--dialect", "house", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["task"]["name"] == "chess"


def test_a_file_of_its_front_end_is_converted(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, chess__rubric_json='{"rubric": "plain"}')
    done = scoring(installed, tmp_path, "convert", "chess/rubric.json")
    assert done.returncode == 0, done.stderr
    assert "score: house.plain" in done.stdout


def test_what_is_no_file_of_any_front_end_is_told_of_all(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, notes_json='{"neither": "rubric nor task"}')
    done = scoring(installed, tmp_path, "convert", "notes.json")
    assert done.returncode == 2
    assert "is no house rubric.json: it has no `rubric`" in done.stderr


def test_a_suite_has_its_tasks_groups_and_layout(installed: Path, tmp_path: Path) -> None:
    tasks = {f"tasks__{name}__rubric_json": f'{{"rubric": "{name}"}}' for name in ("loud", "plain")}
    written(tmp_path, suite_yaml=SUITE, **tasks, data__loud_jsonl=RECORD, data__plain_jsonl=RECORD)
    done = scoring(installed, tmp_path, "score", "suite.yaml", "data", "-o", "run")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "board.json").read_text()) == {"noisy": 1}


def test_a_name_that_nobody_brings_is_refused_with_those_that_are_there(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, suite_yaml=SUITE.replace("[house]", "[hose]"))
    done = scoring(installed, tmp_path, "check", "suite.yaml")
    assert done.returncode == 1
    assert "house" in done.stdout + done.stderr


def test_a_package_that_is_broken_is_told_by_its_name(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    metadata = broken / "broken_house-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-house\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[scoring.front_ends]\nbroken = broken_house:NOTHING\n")
    written(tmp_path, chess__task_json='{"rules": "loud"}')
    done = scoring(broken, tmp_path, "check", "chess/task.json")
    assert done.returncode == 1
    assert "the plug-in `broken` of broken-house can't be loaded" in done.stdout + done.stderr


def test_a_command_and_its_verb_are_there(installed: Path, tmp_path: Path) -> None:
    assert "greet        greet somebody" in scoring(installed, tmp_path, "--help").stdout
    assert scoring(installed, tmp_path, "greet", "ann").stdout == "hello ann\n"
    refused = scoring(installed, tmp_path, "greet", "")
    assert (refused.returncode, refused.stderr) == (2, "scoring: whom? name somebody\n")
    code = "import scoring; print(scoring.runs.greeting('bob'), 'greeting' in dir(scoring.runs))"
    assert python(installed, tmp_path, code) == "hello bob True\n"


MOODY = """
    kind: task
    name: t
    moods: {glad: "casefold|equal"}
    bonus: 2
    score: glad
    """


def test_a_key_that_moves_scores_is_in_the_meaning(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, a_yaml=MOODY, b_yaml=MOODY.replace("bonus: 2", "bonus: 2.0"), c_yaml=MOODY.replace(": 2", ": 3"))
    written(tmp_path, data_jsonl=RECORD)
    done = [scoring(installed, tmp_path, "score", f"{name}.yaml", "data.jsonl", "--json") for name in "abc"]
    assert [one.returncode for one in done] == [0, 0, 0], done[0].stderr
    first, same, other = (json.loads(one.stdout)["signature"].split("|") for one in done)
    assert first == same
    assert len(set(first) ^ set(other)) == 2  # the meaning of each


def test_a_key_with_definitions_gives_the_file_what_it_defines(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, task_yaml=MOODY, data_jsonl='{"id": 1, "response": "HI", "reference": "hi"}')
    done = scoring(installed, tmp_path, "score", "task.yaml", "data.jsonl", "--json")
    assert json.loads(done.stdout)["metrics"][0]["value"] == 1, done.stderr
    assert scoring(installed, tmp_path, "fmt", "task.yaml").returncode == 0
    assert "glad: casefold | equal" in (tmp_path / "task.yaml").read_text().replace('"', "")


def test_a_key_is_checked_by_what_its_package_says(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, low_yaml=MOODY.replace(": 2", ": -1"), off_yaml=MOODY.replace("bonus", "bonsu"))
    written(tmp_path, pack_yaml="{kind: pack, name: p, version: 1.0.0, bonus: 2}")
    low, off, pack = (scoring(installed, tmp_path, "check", f"{name}.yaml").stdout for name in ("low", "off", "pack"))
    assert "expected at least 0, found `-1`\n --> low.yaml:4:8" in low
    assert "unknown key `bonsu`" in off
    assert "did you mean `bonus`?" in off
    assert "unknown key `bonus`" in pack


def test_a_key_that_nobody_reads_is_unknown(tmp_path: Path) -> None:
    written(tmp_path, task_yaml=MOODY)
    done = scoring(tmp_path, tmp_path, "check", "task.yaml")
    assert done.returncode == 1
    assert "unknown key `bonus`" in done.stdout


def test_an_effect_stands_in_the_signature_and_is_accounted(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, task_yaml='{"kind": "task", "name": "t", "score": "house/forecast"}', data_jsonl=RECORD)
    done = scoring(installed, tmp_path, "score", "task.yaml", "data.jsonl", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert "|weather:sunny|" in summary["signature"]
    assert summary["weather"] == {"suns": 3}
    told = scoring(installed, tmp_path, "score", "task.yaml", "data.jsonl").stdout
    assert "\nthe sun shone 3 times\n" in told


def test_a_form_of_documents(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, task_yaml=TASK, data_jsonl=RECORD)
    code = "import scoring; print(scoring.evaluate('task.yaml', 'data.jsonl').text('titles'))"
    assert python(installed, tmp_path, code) == "house/answers\n"


def test_a_report_of_findings_is_the_whole_output(installed: Path, tmp_path: Path) -> None:
    written(tmp_path, task_yaml=TASK.replace("house.loud", "house.lout"))
    done = scoring(installed, tmp_path, "check", "task.yaml", "--format", "ids", "--strict")
    assert (done.returncode, done.stdout) == (1, "unknown-name task.yaml True\n")
    refused = scoring(tmp_path, tmp_path, "check", "task.yaml", "--format", "ids")
    assert refused.returncode == 2
    assert "--format: invalid choice: 'ids' (choose from 'text', 'concise'" in refused.stderr
