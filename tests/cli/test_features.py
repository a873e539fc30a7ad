"""The table of features, tried: each cell has its effect, or is refused with its reason. None is ignored."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.engine.features import FEATURES, KINDS, RunKind, unsupported_reason
from tests.support.golden import REPOSITORY

SPECS = REPOSITORY / "specs"
# For each kind: the folder that is copied, the spec, the data, and the option by which references are named.
WORLD: dict[RunKind, tuple[Path, str, list[str]]] = {
    "rows": (SPECS / "quickstart", "invoices.yaml", ["invoices.jsonl"]),
    "suite": (SPECS / "examples" / "suite", "suite.yaml", ["predictions.jsonl"]),
    "table": (SPECS / "examples" / "detection", "task.yaml", []),
}
ATTRIBUTES: dict[RunKind, tuple[str, str]] = {
    "rows": ("doc_type", "id"),
    "suite": ("output", "area"),
    "table": ("weather", "id"),
}


class Desk:
    """A folder with one kind of task, and the command line in it."""

    def __init__(self, kind: RunKind, folder: Path) -> None:
        source, self.spec, self.data = WORLD[kind]
        shutil.copytree(source, folder, dirs_exist_ok=True)
        self.kind = kind
        self.folder = folder

    def run(self, *arguments: str) -> tuple[int, str]:
        """The exit code of a command and everything that it said."""
        said = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            code = main(list(arguments))
        return code, said.getvalue()

    def score(self, *options: str, output: str | None = None) -> dict[str, Any]:
        """The summary of a run."""
        written = ["-o", output] if output else []
        code, said = self.run("score", self.spec, *self.data, *options, *written, "--json")
        assert code == 0, said
        found: dict[str, Any] = json.loads(said[said.index("{") :])
        return found


Probe = Callable[[Desk], None]


def _limit(desk: Desk) -> None:
    whole, part = desk.score(output="whole"), desk.score("--limit", "1", output="part")
    assert whole["metrics"] != part["metrics"]
    lines = [len((desk.folder / name / "scores.jsonl").read_text().splitlines()) for name in ("part", "whole")]
    assert 0 < lines[0] < lines[1]


def _min_coverage(desk: Desk) -> None:
    shares = [desk.run("score", desk.spec, *desk.data, "--min-coverage", share)[0] for share in ("0", "0.5", "1")]
    assert shares == ([0, 0, 0] if desk.kind == "table" else [0, 0, 3])


def _census(desk: Desk) -> None:
    """The same answer or label, but for what nobody means."""
    name, old, new, kind = {
        "rows": ("invoices.jsonl", '"invoice"', '"Invoice"', "alike_groups"),
        "suite": ("predictions.jsonl", '"response": "214"', '"response": "Error: rate limit"', "error_answers"),
        "table": ("instances.json", '"lorry"', '"Car"', "alike_labels"),
    }[desk.kind]
    assert kind not in desk.score()["inputs"]
    path = desk.folder / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    if desk.kind == "table":
        (desk.folder / desk.spec).write_text((desk.folder / desk.spec).read_text().replace("{lorry: truck}", "{}"))
    assert desk.score()["inputs"][kind]["count"] >= 1


def _min(desk: Desk) -> None:
    name, value = next(iter((one["metric"], one["value"]) for one in desk.score()["metrics"]))
    sides = [("--min", value), ("--min", value + 0.01), ("--max", value), ("--max", value - 0.01)]
    codes = [desk.run("score", desk.spec, *desk.data, side, f"{name}={limit!r}")[0] for side, limit in sides]
    assert codes == [0, 4, 0, 4]


def _by(desk: Desk) -> None:
    one, other = ATTRIBUTES[desk.kind]
    by = desk.score("--by", one, "--by", f"{one} x {other}")["by"]
    assert len(by[one]) > 1
    assert "values" in by[f"{one} x {other}"][0] or " x " in by[f"{one} x {other}"][0]["group"]
    assert by[f"{one} x {other}"][0]["metrics"]


def _seed(desk: Desk) -> None:
    assert desk.score("--seed", "7")["seed"] == 7


def _processes(desk: Desk) -> None:
    desk.score(output="one")
    desk.score("--processes", "2", output="two")
    for name in ("summary.json", "scores.jsonl"):
        assert (desk.folder / "one" / name).read_bytes() == (desk.folder / "two" / name).read_bytes()


def _references(desk: Desk) -> None:
    if desk.kind == "table":
        summary = desk.score("results.json", "--references", "instances.json")
    else:
        rows = [json.loads(line) for line in (desk.folder / desk.data[0]).read_text().splitlines()]
        (desk.folder / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)))
        summary = desk.score("--references", "gold.jsonl")
    assert summary["metrics"] == desk.score()["metrics"]


def _parquet(desk: Desk) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    desk.score("--scores", "parquet", output="run")
    desk.score(output="plain")
    lines = (desk.folder / "plain" / "scores.jsonl").read_text().splitlines()
    assert parquet.read_table(desk.folder / "run" / "scores.parquet").num_rows == len(lines)


def _parts(desk: Desk) -> None:
    assert desk.score("--parts", "parts") == desk.score()
    code, said = desk.run("merge", "parts", "--json")
    assert (code, json.loads(said)["metrics"]) == (0, desk.score()["metrics"])


def _engine(desk: Desk) -> None:
    """That it reaches whoever has engines; `tests/extensions/wide/remote` runs them."""
    code, said = desk.run("score", desk.spec, *desk.data, "--engine", "abacus")
    assert (code, "there is no engine `abacus`; the engines are local, ray, spark" in said) == (2, True)


def _sums(desk: Desk) -> None:
    found, whole = desk.score("--state", "sums"), desk.score()
    assert found["inputs"].pop("uncompared_ids")["count"] == 1
    assert found == whole, "few different scores are counted either way"


def _html(desk: Desk) -> None:
    desk.score("--html", output="run")
    page = (desk.folder / "run" / "report.html").read_text()
    assert "<table" in page
    assert "Content-Security-Policy" in page


def _plots(desk: Desk) -> None:
    pytest.importorskip("matplotlib")
    desk.score("--plots", "figures")
    assert all(path.read_text().count("<svg") == 1 for path in (desk.folder / "figures").iterdir())
    assert (desk.folder / "figures" / f"scores_of_{'tasks' if desk.kind == 'suite' else 'records'}.svg").is_file()


def _locked(desk: Desk) -> None:
    code, said = desk.run("score", desk.spec, *desk.data, "--locked")
    assert (code, "has no lock file" in said) == (1, True), said
    assert desk.run("lock", desk.spec)[0] == 0
    desk.score("--locked")


def _frozen(desk: Desk) -> None:
    code, said = desk.run("score", desk.spec, *desk.data, "--frozen")
    assert (code, "there is no scoring.toml" in said) == (2, True), said
    (desk.folder / "scoring.toml").touch()
    code, said = desk.run("score", desk.spec, *desk.data, "--frozen")
    assert (code, "there is no scoring.lock" in said) == (1, True), said
    assert desk.run("lock")[0] == 0
    desk.score("--frozen")


def _compressed(desk: Desk) -> None:
    names = desk.data or ["results.json"]
    plain = desk.score()
    packed = desk.folder / f"{names[0]}.gz"
    packed.write_bytes(gzip.compress((desk.folder / names[0]).read_bytes()))
    desk.data = [packed.name]
    extra = ["--references", "instances.json"] if desk.kind == "table" else []
    assert desk.score(*extra)["metrics"] == plain["metrics"]


def _with_keys(desk: Desk, text: str) -> None:
    path = desk.folder / desk.spec
    path.write_text(f"{path.read_text()}\n{text}\n")


def _intervals(desk: Desk) -> None:
    before = desk.score()["metrics"][0]
    _with_keys(desk, "intervals: {confidence: 0.5}")
    after = desk.score()["metrics"][0]
    assert (before["level"], after["level"]) == (0.95, 0.5)
    width = [one["interval"][1] - one["interval"][0] for one in (before, after)]
    assert 0 < width[1] < width[0]


def _strata(desk: Desk) -> None:
    name = next(iter(desk.score()["by"]))
    _with_keys(desk, f"intervals: {{strata: {name}}}")
    summary = desk.score()
    assert summary["intervals"]["strata"] == name
    figure = summary["metrics"][0]
    assert figure["interval"] is None or figure["method"] in ("bounded", "unbounded", "percentile")


def _breakdowns(desk: Desk) -> None:
    assert all(len(groups) > 0 for groups in desk.score()["by"].values())
    assert desk.score()["by"]


def _examples(desk: Desk) -> None:
    assert desk.run("test", desk.spec)[0] == 0
    path = desk.folder / desk.spec
    path.write_text(path.read_text().replace("examples:\n", "examples:\n  - {response: '{}', expect: 0.75}\n"))
    code, said = desk.run("test", desk.spec)
    assert (code, "expected 0.75" in said) == (1, True), said


def _dialects(desk: Desk) -> None:
    (desk.folder / "single.yaml").write_text("kind: task\nname: single\nscore: anls.anls\nimports: {anls: anls@1}\n")
    (desk.folder / "single.jsonl").write_text('{"id": 1, "response": "a cat", "reference": "cat"}\n')
    code, said = desk.run("score", "single.yaml", "single.jsonl", "--dialects")
    assert code == 0, said
    assert "differing" in said


def _verify(desk: Desk) -> None:
    desk.score(output="run")
    assert desk.run("verify", "run", "-o", "again")[0] == 0
    assert (desk.folder / "again" / "summary.json").read_bytes() == (desk.folder / "run" / "summary.json").read_bytes()
    scores = desk.folder / "run" / "summary.json"
    scores.write_text(scores.read_text().replace('"value": 0.', '"value": 0.9', 1))
    assert desk.run("verify", "run")[0] == 1


def _bundle(desk: Desk) -> None:
    desk.score(output="run")
    assert desk.run("bundle", "run")[0] == 0
    assert desk.run("verify", "run.zip")[0] == 0


def _compare(desk: Desk) -> None:
    desk.score(output="one")
    desk.score(output="two")
    code, said = desk.run("compare", "one", "two", "--json")
    assert code == 0, said
    assert json.loads(said)["paired"]["records"] > 0 if "paired" in json.loads(said) else json.loads(said)


def _explain(desk: Desk) -> None:
    code, said = desk.run("explain", desk.spec, *desk.data)
    assert code == 0, said
    assert desk.run("explain", desk.spec, *desk.data, "--record", "no such record")[0] != 0


def _audit(desk: Desk) -> None:
    code, said = desk.run("audit", desk.spec, *desk.data)
    assert code in (0, 1)
    assert "every law that must hold" in said or "must hold:" in said, said


def _lock(desk: Desk) -> None:
    assert desk.run("lock", desk.spec)[0] == 0
    assert (desk.folder / desk.spec).with_suffix(".lock.json").is_file()


def _fmt(desk: Desk) -> None:
    assert desk.run("fmt", "--check", desk.spec)[0] == 0
    path = desk.folder / desk.spec
    text = path.read_text()
    untidy = {
        "rows": ("to_ascii | drop", "to_ascii|drop"),
        "suite": ("[macro,", "[macro( ),"),
        "table": ("(max_", "( max_"),
    }
    old, new = untidy[desk.kind]
    assert old in text
    path.write_text(text.replace(old, new, 1))
    assert desk.run("fmt", desk.spec)[0] == 0
    assert old in path.read_text()


PROBES: dict[str, Probe] = {
    "--limit": _limit,
    "--by": _by,
    "--seed": _seed,
    "--processes": _processes,
    "--references": _references,
    "--scores parquet": _parquet,
    "--parts": _parts,
    "--engine": _engine,
    "--state sums": _sums,
    "--html": _html,
    "--plots": _plots,
    "--min-coverage": _min_coverage,
    "`input:`": _census,
    "--min": _min,
    "--locked": _locked,
    "--frozen": _frozen,
    "`.gz` and `.zst`": _compressed,
    "`intervals:`": _intervals,
    "`intervals: strata`": _strata,
    "`by:`": _breakdowns,
    "`examples:`": _examples,
    "--dialects": _dialects,
    "scoring verify": _verify,
    "scoring bundle": _bundle,
    "scoring compare": _compare,
    "scoring explain": _explain,
    "scoring audit": _audit,
    "scoring lock": _lock,
    "scoring fmt": _fmt,
}
# How a feature is asked for that a kind refuses.
ASKED: dict[str, Callable[[Desk], tuple[int, str]]] = {
    "`examples:`": lambda desk: (_with_keys(desk, "examples: [{expect: 1.0}]"), desk.run("test", desk.spec))[1],
    "`intervals: strata`": lambda desk: (_with_keys(desk, "intervals: {strata: kind}"), desk.run("check", desk.spec))[
        1
    ],
    "--parts": lambda desk: desk.run("score", desk.spec, *desk.data, "--parts", "parts"),
    "--engine": lambda desk: desk.run("score", desk.spec, *desk.data, "--engine", "ray"),
    "--state sums": lambda desk: desk.run("score", desk.spec, *desk.data, "--state", "sums"),
    "--dialects": lambda desk: desk.run("score", desk.spec, *desk.data, "--dialects"),
    "scoring audit": lambda desk: desk.run("audit", desk.spec, *desk.data),
}


def test_every_feature_is_tried() -> None:
    assert PROBES.keys() == FEATURES.keys()
    assert {name for name in FEATURES if any(unsupported_reason(name, kind) for kind in KINDS)} == ASKED.keys()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_has_its_effect_or_is_refused(name: str, kind: RunKind, tmp_path: Path) -> None:
    desk = Desk(kind, tmp_path)
    reason = unsupported_reason(name, kind)
    if reason is None:
        PROBES[name](desk)
        return
    code, said = ASKED[name](desk)
    assert code != 0
    assert reason in said or "wrong-kind-key" in said, said
