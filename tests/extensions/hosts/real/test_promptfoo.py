"""promptfoo, run for real: its assertion scores by a service, and its results are read as a log.

SCORING_PROMPTFOO=node_modules/.bin/promptfoo python -m pytest tests/extensions/hosts/real/test_promptfoo.py
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scoring.cli.main import main
from scoring.result import MISSING
from tests.support.host_cases import CASES, Answers, HostCase, host_case, is_mean_of

PROMPTFOO = os.environ.get("SCORING_PROMPTFOO") or shutil.which("promptfoo")
if PROMPTFOO is None:
    pytest.skip("promptfoo is not installed, nor named by SCORING_PROMPTFOO", allow_module_level=True)
pytest.importorskip("starlette", reason="a service needs the extra `serve`")
pytest.importorskip("httptools", reason="a service needs the extra `serve`")

from scoring.extensions.serving.app import ASSERTION  # noqa: E402  # what needs it was looked for first
from scoring.extensions.serving.verbs import scoring_service  # noqa: E402  # likewise

PROVIDER = """\
const said = require('./outputs.json');
module.exports = class { id() { return 'said'; } async callApi(prompt) { return { output: said[prompt] }; } };
"""
ALONE = {
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
    "PROMPTFOO_DISABLE_REMOTE_GENERATION": "1",
    "PROMPTFOO_SELF_HOSTED": "1",
}
"""What keeps promptfoo from asking servers of its own."""
PARTS = ("id", "response", "reference", "output", "gold")
"""The keys of the parts in the cases' own files; what else a record has, promptfoo holds as metadata of the test."""


def evaluated(case: HostCase, folder: Path) -> dict[str, Any]:
    """What `promptfoo eval` writes of a case, whose outputs are said by a provider and scored by a service."""
    shutil.copy(ASSERTION, folder / "promptfoo.cjs")
    (folder / "provider.cjs").write_text(PROVIDER, encoding="utf-8")
    (folder / "outputs.json").write_text(json.dumps({one.id: one.response for one in case.records}), encoding="utf-8")
    tests = []
    for one in case.records:
        reference = {} if one.reference is MISSING else {"reference": one.reference}
        more = {name: value for name, value in one.whole.items() if name not in PARTS}
        tests.append({"vars": {"id": one.id, **reference}, "metadata": more})
    with case.replaying(), scoring_service(case.spec, port=0, seconds=20) as service:
        scored = {"type": "javascript", "value": "file://promptfoo.cjs", "config": {"url": service.address}}
        config = {
            "prompts": ["{{id}}"],
            "providers": ["file://provider.cjs"],
            "defaultTest": {"assert": [scored]},
            "tests": tests,
            "derivedMetrics": [{"name": "mean", "value": "score / counted"}],
        }
        (folder / "promptfooconfig.json").write_text(json.dumps(config), encoding="utf-8")
        words = ["eval", "-c", "promptfooconfig.json", "-o", "o.json", "--no-cache", "--no-table", "--no-progress-bar"]
        environ = {**os.environ, **ALONE, "PROMPTFOO_CONFIG_DIR": str(folder / "home")}
        done = subprocess.run(
            # One by one, so that it adds up the scores in the order of its results.
            [str(PROMPTFOO), *words, "-j", "1"],
            cwd=folder,
            env=environ,
            capture_output=True,
            text=True,
            timeout=600,
        )
    assert (folder / "o.json").exists(), done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, Any] = json.loads((folder / "o.json").read_text("utf-8"))["results"]
    return found


@pytest.mark.parametrize("answers", ["texts", "mixed"])
@pytest.mark.parametrize("name", CASES)
def test_two_hundred_records_are_equal_in_promptfoo_and_in_its_log(tmp_path: Path, name: str, answers: Answers) -> None:
    case = host_case(name, tmp_path, answers)
    found = evaluated(case, tmp_path)
    named = {one["testCase"]["vars"]["id"]: one["namedScores"] for one in found["results"]}
    assert list(map(len, (found["results"], named))) == [200, 200]
    case.check([named[one.id]["score"] if named[one.id].get("counted") else None for one in case.records])
    (prompt,) = found["prompts"]
    added = [named[one["testCase"]["vars"]["id"]] for one in found["results"]]
    scores = [one["score"] for one in added if one.get("counted")]
    assert is_mean_of(prompt["metrics"]["namedScores"]["mean"], scores, case.headline)
    for one, line in zip(case.records, case.lines, strict=True):
        if "counted" in named[one.id]:
            assert named[one.id][line["status"]] == 1
    _check_log(case, tmp_path)


def _check_log(case: HostCase, folder: Path) -> None:
    """The results, read as a log, have the same scores, and are given them."""
    copy, run = folder / "scored.json", folder / "log-run"
    words = ["score", str(case.spec), str(folder / "o.json"), "--write-back", str(copy), "-o", str(run)]
    with case.replaying():
        assert main(words) == 0
    written = json.loads(copy.read_text("utf-8"))["results"]["results"]
    verdicts = {one["testCase"]["vars"]["id"]: one["metadata"]["scoring"] for one in written}
    ordered = [verdicts[one.id] for one in case.records]
    summary = json.loads((run / "summary.json").read_text("utf-8"))
    case.check([one["score"] for one in ordered], summary["metrics"][0]["value"], signature=summary["signature"])
    assert [one["status"] for one in ordered] == [line["status"] for line in case.lines]
