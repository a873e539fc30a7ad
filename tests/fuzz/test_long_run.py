"""The long run finds what is wrong, names the input, saves a small reproduction, and ends with its status."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.fuzz import codec
from tests.fuzz.__main__ import main
from tests.fuzz.drive import KINDS, Drive, named
from tests.fuzz.examine import drawn
from tests.fuzz.faulty import WRONG
from tests.fuzz.targets import TARGETS
from tests.fuzz.worker import Limits

#: A faulty target, and the kind of what is found in it.
FAULTS = [
    ("RAISES", "exception"),
    ("SPINS", "hang"),
    ("HOLDS_THE_INTERPRETER", "hang"),
    ("CRASHES", "crash"),
    ("LEAVES", "crash"),
    ("FILLS", "memory"),
    ("OUT_OF_RANGE", "range"),
    ("BARE", "bare"),
    ("FORGETS", "differs"),
    ("HASHES", "differs"),
    ("DEEP", "differs"),
    ("BATCHES", "differs"),
]


#: Each input that hangs costs its limit of CPU time, which is short for them alone. What is wrong otherwise has time
#: enough, so that no busy machine makes a hang of it.
SLOW = ("SPINS", "HOLDS_THE_INTERPRETER")
SECONDS = {True: "0.2", False: "10"}
INPUTS = 24
SEED = 2
"""With this seed so few inputs meet every fault."""


def fuzz(folder: Path, *arguments: Any, slow: bool = False) -> int:
    limits = ("--cpu-seconds", SECONDS[slow], "--memory-mib", "400")
    return main([*map(str, arguments), "--findings", str(folder), *limits])


class Shown(NamedTuple):
    """What a run said, and what it saved."""

    status: int
    rows: dict[str, dict[str, str]]
    paths: list[Path]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Shown]:
    """One run over all that is faulty in other ways, and one over what hangs."""
    return {slow: _run(tmp_path_factory.mktemp("found"), slow) for slow in (False, True)}


def _run(folder: Path, slow: bool) -> Shown:
    names = [name for name, _ in FAULTS if (name in SLOW) is slow]
    targets = [part for name in names for part in ("--target", f"tests.fuzz.faulty:{name}")]
    out = io.StringIO()
    with redirect_stdout(out):
        status = fuzz(folder, *targets, "--inputs", INPUTS * len(names), "--seed", SEED, slow=slow)
    head, *lines = (re.split(r"\s{2,}", line.strip()) for line in out.getvalue().splitlines()[: len(names) + 2])
    return Shown(status, {line[0]: dict(zip(head, line, strict=True)) for line in lines}, sorted(folder.iterdir()))


@pytest.mark.parametrize(("name", "kind"), FAULTS)
def test_a_fault_is_found_and_named(
    name: str, kind: str, runs: dict[bool, Shown], capsys: pytest.CaptureFixture[str]
) -> None:
    slow = name in SLOW
    run = runs[slow]
    assert run.status == 1
    row = run.rows[name]
    assert row["inputs"] == str(INPUTS)
    assert {other for other in KINDS if row[other] != "0"} == {kind}
    (path,) = (path for path in run.paths if json.loads(path.read_text())["target"].endswith(f":{name}"))
    _, inputs = codec.read(json.dumps(json.loads(path.read_text())["case"]))
    assert inputs[0] == {"number": WRONG} if not slow else inputs[0]["number"] == WRONG
    assert len(inputs) == 1
    assert main(["--replay", str(path), "--cpu-seconds", SECONDS[slow], "--memory-mib", "400"]) == 1
    assert capsys.readouterr().out.startswith(f"{kind}: ")


@pytest.mark.parametrize("slow", [False, True])
def test_the_last_row_is_the_sum(slow: bool, runs: dict[bool, Shown]) -> None:
    rows = dict(runs[slow].rows)
    whole = rows.pop("all")
    for column in ("inputs", *KINDS):
        assert int(whole[column]) == sum(int(row[column]) for row in rows.values())


def test_nothing_is_found_where_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz(tmp_path / "found", "--target", "tests.fuzz.faulty:FINE", "--inputs", 500) == 0
    assert "500" in capsys.readouterr().out
    assert not (tmp_path / "found").exists()


def test_a_process_that_only_starts_is_no_hang(tmp_path: Path) -> None:
    """It imports libraries for longer than three times what an input may take."""
    drive = Drive(Limits(0.1, 400), 2, tmp_path)
    try:
        drive.run(named(["tests.fuzz.faulty:FINE"]), 40, 0, 0.0)
    finally:
        drive.close()
    assert not drive.findings
    assert drive.tallies["FINE"].inputs == 40


def test_a_finding_that_was_mended_is_no_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = {"target": "tests.fuzz.faulty:FINE", "kind": "exception", "symptom": "KeyError in ?", "way": "alone"}
    path = tmp_path / "finding.json"
    case = [{"first": 0}, [{"number": 7, "more": []}]]
    path.write_text(json.dumps({**held, "member": "", "case": case, "detail": "", "seed": "", "times": 1}))
    assert main(["--replay", str(path)]) == 0
    assert "no more" in capsys.readouterr().out


def test_an_unknown_target_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--target", "nothing"]) == 2
    assert "there is no target `nothing`; there are scorers" in capsys.readouterr().err


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_a_seed_names_the_inputs_and_they_are_kept_whole(target: Any) -> None:
    for number in range(20):
        setup, inputs = drawn(target, f"seed-{number}", 4)
        line = codec.write([setup, inputs])
        assert line == codec.write(list(drawn(target, f"seed-{number}", 4)))
        assert codec.write(codec.read(line)) == line
