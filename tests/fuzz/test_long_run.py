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
from tests.fuzz.drive import KINDS
from tests.fuzz.examine import drawn
from tests.fuzz.faulty import WRONG
from tests.fuzz.targets import TARGETS

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


#: Few of the inputs that hang are tried again: each costs its limit of CPU time.
SLOW = ("SPINS", "HOLDS_THE_INTERPRETER")


def fuzz(folder: Path, *arguments: Any) -> int:
    return main([*map(str, arguments), "--findings", str(folder), "--cpu-seconds", "0.2", "--memory-mib", "400"])


class Shown(NamedTuple):
    """What a run said, and what it saved."""

    status: int
    rows: dict[str, dict[str, str]]
    paths: list[Path]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """One run over all that is faulty."""
    folder, out = tmp_path_factory.mktemp("found"), io.StringIO()
    targets = [part for name, _ in FAULTS for part in ("--target", f"tests.fuzz.faulty:{name}")]
    with redirect_stdout(out):
        status = fuzz(folder, *targets, "--inputs", 48 * len(FAULTS))
    head, *lines = (re.split(r"\s{2,}", line.strip()) for line in out.getvalue().splitlines()[: len(FAULTS) + 2])
    return Shown(status, {line[0]: dict(zip(head, line, strict=True)) for line in lines}, sorted(folder.iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kind"), FAULTS)
def test_a_fault_is_found_and_named(name: str, kind: str, run: Shown, capsys: pytest.CaptureFixture[str]) -> None:
    assert run.status == 1
    row = run.rows[name]
    assert row["inputs"] == "48"
    assert {other for other in KINDS if row[other] != "0"} == {kind}
    (path,) = (path for path in run.paths if json.loads(path.read_text())["target"].endswith(f":{name}"))
    _, inputs = codec.read(json.dumps(json.loads(path.read_text())["case"]))
    assert inputs[0] == {"number": WRONG} if name not in SLOW else inputs[0]["number"] == WRONG
    assert len(inputs) == 1
    assert main(["--replay", str(path), "--cpu-seconds", "0.2", "--memory-mib", "400"]) == 1
    assert capsys.readouterr().out.startswith(f"{kind}: ")


def test_the_last_row_is_the_sum(run: Shown) -> None:
    rows = dict(run.rows)
    whole = rows.pop("all")
    for column in ("inputs", *KINDS):
        assert int(whole[column]) == sum(int(row[column]) for row in rows.values())


def test_nothing_is_found_where_nothing_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz(tmp_path / "found", "--target", "tests.fuzz.faulty:FINE", "--inputs", 500) == 0
    assert "500" in capsys.readouterr().out
    assert not (tmp_path / "found").exists()


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
