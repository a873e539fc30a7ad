"""A primitive of others is known with the release that brought it, and held to what it declares."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PRIMITIVES = """
from typing import Any
from scoring.registry import PairScorer, Transform, primitive
from scoring.values import Score

@primitive
def half(prediction: str, reference: str, /) -> Score:
    \"\"\"A fixed score.

    Examples:
        >>> 1
        1
    \"\"\"
    return VALUE

def helper(text):
    from scoring.extensions.judge.protocol import ask_judge
    return ask_judge(text)

@primitive(USES)
def asking(prediction: str, reference: str, /) -> Score:
    \"\"\"What a judge says.

    Examples:
        >>> 1
        1
    \"\"\"
    return float(helper(prediction) == "yes")

@primitive
def sandboxed(prediction: str, reference: str, /) -> Score:
    \"\"\"What a program prints.

    Examples:
        >>> 1
        1
    \"\"\"
    from scoring.extensions.sandbox import current_sandbox
    current_sandbox()
    return 1.0

@primitive(traits=("cases",))
def chosen(prediction: Any, reference: Any, /, *, on: object, default: PairScorer[Any, Any] | None = None,
           **cases: PairScorer[Any, Any]) -> Score:
    \"\"\"The score of one case.

    Args:
        on: What chooses.
        default: Where nothing is chosen.
        cases: What is chosen from.

    Examples:
        >>> 1
        1
    \"\"\"
    return cases[on](prediction, reference)

@primitive(traits=("sides",))
def each(value: Any, /, *, prediction: Transform[Any, Any] | None = None,
         reference: Transform[Any, Any] | None = None) -> Any:
    \"\"\"A transform for each side.

    Args:
        prediction: Of the one.
        reference: Of the other.

    Examples:
        >>> 1
        1
    \"\"\"
    raise ValueError("it is laid out, not called")

@primitive(traits=("catches",))
def tried(prediction: Any, reference: Any, /, *, scorer: PairScorer[Any, Any], otherwise: float = 0.5) -> Score:
    \"\"\"The score of a pipeline, or another one.

    Args:
        scorer: The pipeline.
        otherwise: The score where it raises.

    Examples:
        >>> 1
        1
    \"\"\"
    try:
        return scorer(prediction, reference)
    except Exception:
        return otherwise
"""
SCORE = """
import json, sys
import scoring
from contextlib import nullcontext as answered

task = scoring.load({"kind": "task", "name": "t", "score": sys.argv[1]})
with answered():
    outcome = task.score({"id": 1, "response": "a", "reference": "a"}).outcome
    line, resolved = task.signature, task.resolved()
print(json.dumps({"score": outcome.value, "reason": outcome.reason, "line": line, "meaning": line.meaning,
                  "asks": task.asks_judge, "found": [found.id for found in task.warnings],
                  "primitives": resolved["primitives"]}))
"""


def scored(
    folder: Path, expression: str, *, version: str = "1.0", value: float = 0.5, uses: str = "", program: str = SCORE
) -> Any:
    """A record scored where a release of `acme-metrics` is installed."""
    site = folder / version
    info = site / f"acme_metrics-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: acme-metrics\nVersion: {version}\n")
    (info / "entry_points.txt").write_text("[scoring.primitives]\nacme = acme_primitives\n")
    text = PRIMITIVES.replace("VALUE", str(value)).replace("(USES)", uses)
    (site / "acme_primitives.py").write_text(text)
    path = os.pathsep.join([str(site), *(part for part in sys.path if part)])
    done = subprocess.run(
        [sys.executable, "-c", program, expression],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_another_release_of_a_package_is_another_meaning(tmp_path: Path) -> None:
    first = scored(tmp_path, "acme/half", version="1.0", value=0.5)
    second = scored(tmp_path, "acme/half", version="2.0", value=0.25)
    assert (first["score"], second["score"]) == (0.5, 0.25)
    assert first["meaning"] != second["meaning"]
    assert "|primitives:acme-metrics 1.0|" in first["line"]
    assert {"name": "acme/half", "kind": "comparator", "revision": 1, "distribution": "acme-metrics@2.0"} in second[
        "primitives"
    ]


def test_a_package_that_is_not_used_moves_nothing(tmp_path: Path) -> None:
    first, second = (scored(tmp_path, "any_of(equal)", version=version) for version in ("1.0", "2.0"))
    assert first["meaning"] == second["meaning"]
    assert "acme" not in first["line"]


def test_the_compiler_knows_the_traits_of_others(tmp_path: Path) -> None:
    assert scored(tmp_path, 'acme/chosen(on="a", a=equal, b=equal)')["found"] == ["unreachable-case"]
    assert scored(tmp_path, "acme/each(prediction=upper, reference=upper) | equal")["score"] == 1.0
    assert scored(tmp_path, "acme/each(prediction=upper) | equal")["score"] == 0.0
    caught = scored(tmp_path, "acme/tried(scorer=number | equal)")
    assert (caught["score"], caught["reason"]) == (0.5, None)
